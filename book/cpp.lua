-- Finds a symbol in a C++ file: its first and last line, comment included.
-- This is no C++ parser. It knows comments, literals and brackets, and which
-- name a declaration introduces; that is enough for files as we format them,
-- and the weaver's tests hold what it must tell apart.

local cpp = {}

-- Turns the text into tokens {text=, line=, string=}: words, punctuation
-- ('::' and '->' as one token) and string literals. Comments and
-- preprocessor lines give none, but a #define is noted in `macros`.
local function tokenize(text)
  local tokens, macros = {}, {}
  local at, line, fresh = 1, 1, true  -- fresh: only blanks on this line so far
  local function skip(to)  -- moves to `to`, counting lines
    for _ in text:sub(at, to - 1):gmatch('\n') do line = line + 1 end
    at = to
  end
  local function add(s, is_string)
    tokens[#tokens + 1] = { text = s, line = line, string = is_string }
  end
  while at <= #text do
    local c, two = text:sub(at, at), text:sub(at, at + 1)
    if c == '\n' then
      at, line, fresh = at + 1, line + 1, true
    elseif c:match('%s') then
      at = at + 1
    elseif two == '//' then
      skip((text:find('\n', at, true) or #text + 1))
    elseif two == '/*' then
      local _, e = text:find('*/', at + 2, true)
      skip((e or #text) + 1)
    elseif c == '#' and fresh then
      local first, stop = line, at
      repeat  -- a backslash at the end continues the line
        local e = text:find('\n', stop, true) or #text + 1
        local more = text:sub(e - 1, e - 1) == '\\'
        stop = e + 1
      until not more
      local name = text:match('^#%s*define%s+([%w_]+)', at)
      skip(math.min(stop - 1, #text + 1))
      if name then
        macros[#macros + 1] = { name = name, first = first, last = line }
      end
    elseif text:match('^R"', at) then
      local delimiter = text:match('^R"([^(]*)%(', at)
      local _, e = text:find(')' .. delimiter .. '"', at, true)
      add(text:sub(at, e), true)
      skip((e or #text) + 1)
    elseif c == '"' or c == "'" then
      local e = at + 1
      while text:sub(e, e) ~= c and e <= #text do
        if text:sub(e, e) == '\\' then e = e + 1 end
        e = e + 1
      end
      add(text:sub(at, e), c == '"')
      skip(e + 1)
    elseif c:match('[%w_]') then
      -- A number may hold quotes (1'000); a word may not.
      local word = c:match('%d') and text:match("^[%w_.']+", at) or
                   text:match('^[%w_]+', at)
      add(word)
      at = at + #word
    elseif two == '::' or two == '->' then
      add(two)
      at = at + 2
    else
      add(c)
      at = at + 1
    end
    if c ~= '\n' and not c:match('%s') then fresh = false end
  end
  return tokens, macros
end

local open = { ['('] = ')', ['['] = ']', ['{'] = '}' }

-- The index behind the bracket that closes the one at i.
local function behind(tokens, i)
  local depth = 0
  while i <= #tokens do
    local t = tokens[i]
    if not t.string then
      if open[t.text] then depth = depth + 1 end
      if t.text == ')' or t.text == ']' or t.text == '}' then
        depth = depth - 1
        if depth == 0 then return i + 1 end
      end
    end
    i = i + 1
  end
  return i
end

local class_words = { struct = true, class = true, union = true, enum = true }
local not_a_name = {
  alignas = true, decltype = true, noexcept = true, explicit = true,
  requires = true, __attribute__ = true,
}

local name_before
-- The possibly qualified name that ends before index i: "Class::method".
-- A specialization is called with its arguments: "format_of<Load>".
name_before = function(tokens, first, i)
  local name, k = '', i - 1
  if k > first and tokens[k].text == '>' then
    local depth, arguments = 0, ''
    repeat
      if tokens[k].text == '>' then depth = depth + 1 end
      if tokens[k].text == '<' then depth = depth - 1 end
      arguments, k = tokens[k].text .. arguments, k - 1
    until depth == 0 or k < first
    return name_before(tokens, first, k + 1) .. arguments
  end
  while k >= first do
    local t = tokens[k].text
    if t:match('^[%w_~]+$') then
      name = t .. name
    else
      return name
    end
    if k > first and tokens[k - 1].text == '~' then
      name, k = '~' .. name, k - 1
    end
    if k > first + 1 and tokens[k - 1].text == '::' and
        tokens[k - 2].text:match('^[%w_]+$') then
      name, k = '::' .. name, k - 2
    else
      return name
    end
  end
  return name
end

local parse_scope

-- Reads one declaration from index i; records it; returns the index behind.
local function parse_declaration(tokens, i, scope, found)
  local first = i
  local name, kind, named_at          -- kind: class, function, value
  local angle, equals, in_inits, has_body = 0, false, false, false
  local function record(last)
    if not name or name == '' then return end
    local words = {}
    for k = named_at or first, last do
      if tokens[k].text == '{' then break end
      words[#words + 1] = tokens[k].text
    end
    found[#found + 1] = {
      name = scope .. name, signature = table.concat(words),
      first = tokens[first].line, last = tokens[last].line,
      defines = kind ~= 'function' and (kind ~= 'class' or has_body)
                or has_body,
    }
  end
  if tokens[i].text == 'template' and tokens[i + 1] and
      tokens[i + 1].text == '<' then
    i = i + 1  -- the counting of angles below passes over the parameters
  end
  while i <= #tokens do
    local t = tokens[i]
    local text = t.string and '"' or t.text
    if text == ';' then
      if not name then
        name, named_at, kind = name_before(tokens, first, i), i - 1, 'value'
      end
      record(i)
      return i + 1
    elseif text == '}' then
      return i  -- the scope ends in the middle: leave it to the caller
    elseif text == 'operator' and not name then
      local k = i + 1
      local symbol = 'operator'
      if tokens[k].text == '(' then symbol, k = 'operator()', k + 2 end
      while tokens[k].text ~= '(' do
        symbol, k = symbol .. tokens[k].text, k + 1
      end
      local class = tokens[i - 1] and tokens[i - 1].text == '::' and
                    name_before(tokens, first, i - 1) .. '::' or ''
      name, kind, named_at = class .. symbol, 'function', i
      i = behind(tokens, k)
    elseif text == '<' and not equals then
      angle, i = angle + 1, i + 1
    elseif text == '>' and not equals then
      angle, i = math.max(angle - 1, 0), i + 1
    elseif text == '[' then
      if not name and angle == 0 and i > first and
          tokens[i - 1].text:match('^[%w_]+$') then
        name, named_at, kind = name_before(tokens, first, i), i - 1, 'value'
      end
      i = behind(tokens, i)
    elseif text == '(' then
      local before = i > first and tokens[i - 1].text or ''
      if angle == 0 and not name and tokens[i + 1].text == '*' then
        name, named_at, kind = tokens[i + 2].text, i + 2, 'value'  -- (*f)(...)
      elseif angle == 0 and not name and not not_a_name[before] then
        name, named_at = name_before(tokens, first, i), i - 1
        kind = 'function'
        local inner = tokens[i + 1]
        if before:match('TEST_CASE$') and inner.string then
          name = inner.text:sub(2, -2)
        end
      end
      i = behind(tokens, i)
    elseif text == '=' and angle == 0 then
      if not name then
        name, named_at, kind = name_before(tokens, first, i), i - 1, 'value'
      end
      equals, i = true, i + 1
    elseif text == ':' and kind == 'function' then
      in_inits, i = true, i + 1
    elseif text == '{' then
      local before = tokens[i - 1].text
      local init = in_inits and before:match('^[%w_>]+$')
      if kind == 'class' and not has_body then
        has_body = true
        if tokens[i].enum then
          i = behind(tokens, i)
        else
          i = parse_scope(tokens, i + 1, scope .. name .. '::', found)
        end
      elseif kind == 'function' and not equals and not init then
        has_body = true
        i = behind(tokens, i)
        if tokens[i] and tokens[i].text == ';' then i = i + 1 end
        record(i - 1)
        return i
      else
        if not name then
          name, named_at, kind = name_before(tokens, first, i), i - 1, 'value'
        end
        i = behind(tokens, i)
      end
    elseif class_words[text] and angle == 0 and not name then
      -- The class's name: `enum class`, attributes and alignas are passed.
      local k = i + 1
      local is_enum = text == 'enum'
      while tokens[k] and (class_words[tokens[k].text] or
          tokens[k].text == '[' or tokens[k].text == 'alignas') do
        if tokens[k].text == '[' then k = behind(tokens, k)
        elseif tokens[k].text == 'alignas' then k = behind(tokens, k + 1)
        else k = k + 1 end
      end
      local e = k
      while tokens[e + 1] and tokens[e + 1].text == '::' do e = e + 2 end
      local after = tokens[e + 1] and tokens[e + 1].text or ''
      if after == '{' or after == ';' or after == ':' or after == 'final' or
          after == '<' then
        local stop = e + 1  -- behind the arguments of a specialization
        if after == '<' then
          local depth = 0
          repeat
            if tokens[stop].text == '<' then depth = depth + 1 end
            if tokens[stop].text == '>' then depth = depth - 1 end
            stop = stop + 1
          until depth == 0 or stop > #tokens
        end
        name, named_at, kind = name_before(tokens, k, stop), k, 'class'
        local b = e + 1
        while tokens[b] and tokens[b].text ~= '{' and tokens[b].text ~= ';' do
          b = b + 1
        end
        if tokens[b] then tokens[b].enum = is_enum end
        i = b
      else
        i = k  -- `struct Foo* f()`: a type, not a definition
      end
    elseif text == 'using' and i == first then
      local k = i + 1
      if tokens[k + 1] and tokens[k + 1].text == '=' then
        name, named_at, kind = tokens[k].text, k, 'value'
      end
      i = k
    else
      i = i + 1
    end
  end
  return i
end

-- Reads declarations up to the brace that closes the scope; returns the index
-- behind it. Namespaces add nothing to the name.
parse_scope = function(tokens, i, scope, found)
  while i <= #tokens do
    local text = tokens[i].text
    local after = tokens[i + 1] and tokens[i + 1].text or ''
    if text == '}' then return i + 1 end
    if text == ';' then
      i = i + 1
    elseif after == ':' and (text == 'public' or text == 'private' or
        text == 'protected') then
      i = i + 2
    elseif text == 'namespace' or
        (text == 'inline' and after == 'namespace') or
        (text == 'extern' and tokens[i + 1].string and
         tokens[i + 2].text == '{') then
      while tokens[i].text ~= '{' and tokens[i].text ~= ';' do i = i + 1 end
      if tokens[i].text == '{' then
        i = parse_scope(tokens, i + 1, scope, found)
      end
    else
      local stop = parse_declaration(tokens, i, scope, found)
      i = stop > i and stop or i + 1
    end
  end
  return i
end

local function split_lines(text)
  local lines = {}
  for l in (text:sub(-1) == '\n' and text or text .. '\n'):gmatch('(.-)\n') do
    lines[#lines + 1] = l
  end
  return lines
end

--- Reads C++ text: {lines = the lines, symbols = what it declares}.
function cpp.read(text)
  local tokens, macros = tokenize(text)
  local found = macros
  for _, m in ipairs(found) do m.defines, m.signature = true, m.name end
  parse_scope(tokens, 1, '', found)
  return { lines = split_lines(text), symbols = found }
end

-- Whether a declaration answers to `wanted`: its name, the end of its
-- qualified name, or, where names are overloaded, the beginning of
-- `name(parameters`.
local function answers(symbol, wanted)
  wanted = wanted:gsub('%s*([<>,])%s*', '%1')
  local name, parameters = wanted:match('^(.-)(%(.*)$')
  name = name and name ~= '' and not wanted:match('operator%(%)$') and name or
         wanted
  local ends = symbol.name == name or
               symbol.name:sub(-#name - 2) == '::' .. name
  if not ends then return false end
  if name == wanted then return true end
  local squeezed = parameters:gsub('%s', '')
  local open_at = symbol.signature:find('(', 1, true)
  return open_at ~= nil and
         symbol.signature:sub(open_at, open_at + #squeezed - 1) == squeezed
end

-- The last line of the comment that a file begins with, or nil.
local function head(file)
  local last = 0
  while (file.lines[last + 1] or ''):match('^//') do last = last + 1 end
  return last > 0 and last or nil
end

--- First and last line of the symbol in a file that cpp.read gave, with the
--- comment that stands directly above; or nil and what is wrong. The comment
--- at the top of the file is called `head`.
function cpp.find(file, wanted)
  if wanted == 'head' and head(file) then return 1, head(file) end
  local hits = {}
  for _, s in ipairs(file.symbols) do
    if answers(s, wanted) then hits[#hits + 1] = s end
  end
  local function prefer(is_better)
    local better = {}
    for _, h in ipairs(hits) do
      if is_better(h) then better[#better + 1] = h end
    end
    if #better > 0 then hits = better end
  end
  prefer(function(h) return h.defines end)
  prefer(function(h) return h.name == wanted end)  -- not its constructor
  if #hits == 0 then return nil, 'no symbol ' .. wanted end
  if #hits > 1 then
    local where = {}
    for _, h in ipairs(hits) do where[#where + 1] = h.first end
    return nil, 'symbol ' .. wanted .. ' is ambiguous: lines ' ..
                table.concat(where, ', ')
  end
  local first = hits[1].first
  while first > 1 and (file.lines[first - 1]:match('^%s*//') or
      file.lines[first - 1]:match('^%s*/?%*')) do
    first = first - 1
  end
  return first, hits[1].last
end

return cpp
