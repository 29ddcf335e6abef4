-- Listings: code by symbol, goldens by pattern.
local page = require 'page'
local fault, html, escape = page.fault, page.html, page.escape
local cpp = require 'cpp'
local slice = require 'slice'

local kToldLines = 45  -- in one listing

local files = {}
local function read_cpp(path)
  if not files[path] then
    local text = slice.read(path)
    files[path] = text and cpp.read(text)
  end
  return files[path]
end

-- Each returns the text and a caption's origin, or nothing after a fault.

local function from_cpp(a, what, name, id)
  local file = read_cpp(a.file)
  if not file then return fault('%s: there is no file %s', what, a.file) end
  if not a.symbol then
    return fault('%s names no symbol= of %s', what, a.file)
  end
  local parts, shown = {}, 0
  -- Several symbols that belong together stand in one listing.
  for symbol in (a.symbol .. ';'):gmatch('%s*(.-)%s*;') do
    local first, last = cpp.find(file, symbol)
    if not first then return fault('%s: %s in %s', what, last, a.file) end
    if a.from or a.to then
      local why
      first, last, why = slice.lines(file.lines, first, last, a.from, a.to)
      if not first then
        return fault('%s: %s in %s of %s', what, why, symbol, a.file)
      end
    end
    parts[#parts + 1] = slice.join(file.lines, first, last)
    shown = shown + last - first + 1
    if not a.again then
      page.write_row('told', a.file, first, last, name, page.name, id)
    end
  end
  if shown > kToldLines then
    fault('%s has %d lines; a told listing has at most %d', what, shown,
          kToldLines)
  end
  if not a.again then
    page.section_told = page.section_told + shown
    page.chapter_told = page.chapter_told + shown
  end
  return table.concat(parts, '\n\n'),
         string.format('<a href="%s%s"><code>%s</code></a>: <code>%s</code>',
                       page.to_root, a.file, a.file, escape(a.symbol))
end

local function from_golden(a, what)
  page.write_row('goldens', a.golden, page.source)
  if a.cmd then page.write_row('commands', a.golden, a.rc or '0', a.cmd) end
  local text = slice.read(a.golden)
  if not text then return fault('%s: there is no file %s', what, a.golden) end
  local lines = slice.split(text)
  local first, last, why = slice.lines(lines, 1, #lines, a.from, a.to)
  if not first then return fault('%s: %s in %s', what, why, a.golden) end
  if last - first + 1 > kToldLines and not a.folded then
    fault('%s has %d lines; give from= and to=, or class .folded', what,
          last - first + 1)
  end
  return slice.join(lines, first, last),
         string.format('<a href="%s%s"><code>%s</code></a>%s', page.to_root,
                       a.golden, a.golden,
                       (first > 1 or last < #lines) and ' (part)' or '')
end

local listings = 0
local free = { pseudo = true, ['not-code'] = true }

-- The lines that mark= names, as a style of the page.
local function marked(a, id, text, what)
  if not a.mark then return '' end
  local k, rules = 0, {}
  for l in (text .. '\n'):gmatch('(.-)\n') do
    k = k + 1
    if l:find(a.mark, 1, true) then
      rules[#rules + 1] = string.format('[id="%s-%d"]', id, k)
    end
  end
  if #rules == 0 then fault('%s: no line to mark has "%s"', what, a.mark) end
  return '<style>' .. table.concat(rules, ',') ..
         '{background:var(--mark)}</style>'
end

local known = { file = 1, symbol = 1, golden = 1, from = 1, to = 1, cmd = 1,
                rc = 1, caption = 1, mark = 1 }

--- What a code block becomes: nothing (it stays), or blocks in its place.
local function listing(block)
  local a = { again = block.classes:includes('again'),
              folded = block.classes:includes('folded') }
  for k, v in pairs(block.attributes) do
    a[k] = v
    if not known[k] then fault('a listing has no attribute %s=', k) end
  end
  local what = 'listing of ' .. (a.symbol or a.golden or a.file or
               '"' .. block.text:sub(1, 30) .. '"')
  if not (a.file or a.golden) then
    for _, c in ipairs(block.classes) do
      if free[c] then
        page.check_columns(block.text, what)
        return nil
      end
    end
    fault('%s is typed here; take it from file= or golden=, or mark it ' ..
          '.pseudo or .not-code', what)
    return nil
  end
  if block.text:match('%S') then
    fault('%s has text of its own besides file= or golden=', what)
  end
  listings = listings + 1
  local name = 'Listing ' .. page.number .. '.' .. listings
  local id = block.identifier ~= '' and block.identifier or
             'lst:' .. page.number .. '.' .. listings
  page.define(id, name)
  local text, origin
  if a.file then text, origin = from_cpp(a, what, name, id)
  else text, origin = from_golden(a, what) end
  if not text then return {} end
  page.check_columns(text, what)
  local code_id = 'code-' .. id:gsub('[:.]', '-')
  local caption = (a.caption and escape(a.caption) .. '. ' or '') .. origin ..
                  (a.again and ' (seen before)' or '')
  local blocks = { html(
      '<figure class="listing" id="%s">%s<figcaption><b>%s</b> %s' ..
      '</figcaption>', id, marked(a, code_id, text, what), name, caption) }
  if a.folded then
    table.insert(blocks, html('<details><summary>%d lines</summary>',
                              select(2, text:gsub('\n', '')) + 1))
  end
  if a.cmd then  -- as one types it, where nobody has put build/ into PATH
    table.insert(blocks, html('<p class="cmd"><code>$ %s</code></p>',
                              escape((a.cmd:gsub('%f[%w/]sextant ',
                                                 'build/sextant ')))))
  end
  table.insert(blocks, pandoc.CodeBlock(
      text, pandoc.Attr(code_id, { block.classes[1] or 'txt' })))
  table.insert(blocks, html('%s</figure>', a.folded and '</details>' or ''))
  return blocks
end

return listing
