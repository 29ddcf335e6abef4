-- The rest of a chapter's code: what no listing told, so that every line has
-- one home.
local page = require 'page'
local fault, html = page.fault, page.html
local slice = require 'slice'

-- Every line of the files has one home. Returns the file as segments that no
-- listing told, with what stands between them.
local function remainder(path, out)
  local text = slice.read(path)
  local lines = slice.split(text)
  local home = {}
  for _, t in ipairs(page.told[path] or {}) do
    for k = t.first, t.last do
      if home[k] then
        fault('%s:%d is told twice, by %s and %s (class .again shows it again)',
              path, k, home[k].name, t.name)
      end
      home[k] = t
    end
  end
  page.check_columns(text, path)
  local rest, k = 0, 1
  local body = {}
  while k <= #lines do
    local t, first, solid = home[k], k, 0
    while k <= #lines and home[k] == t do
      if lines[k]:match('%S') then solid = solid + 1 end
      k = k + 1
    end
    if t then
      body[#body + 1] = html('<p class="told"><a href="%s">%s</a></p>',
                              page.link(t.page, t.id), t.name)
    elseif solid > 0 then
      rest = rest + solid
      body[#body + 1] = pandoc.CodeBlock(
          slice.join(lines, first, k - 1, true),
          pandoc.Attr('', { 'cpp', 'numberLines' },
                      { startFrom = tostring(first) }))
    end
  end
  if rest > 0 then
    out:insert(html('<details class="file"><summary><code>%s</code>: %d of ' ..
                    '%d lines</summary>', path, rest, #lines))
    out:extend(body)
    out:insert(html('</details>'))
  end
  return #lines, rest
end

-- How much of what carries the idea a finished chapter tells, at least.
local kShares = { { 'ir', 0.9 }, { 'passes', 0.9 }, { 'lower', 0.7 } }

local function check_share(part, least, lines, rest)
  if lines > 0 and (lines - rest) / lines < least then
    fault('status is done, but only %d%% of %s is told; at least %d%%',
          100 * (lines - rest) // lines, part, 100 * least)
  end
end

--- Adds the rest of every file that has its home on this page.
return function(out, status)
  local paths = {}
  for path in page.files:gmatch('%S+') do
    paths[#paths + 1] = path
  end
  if #paths == 0 then return end
  out:insert(pandoc.Header(2, pandoc.Str('The rest of the code'),
                           pandoc.Attr('rest', { 'unnumbered' })))
  out:insert(pandoc.Para(pandoc.Str('What the text does not show, file by ' ..
      'file, so that every line of the compiler stands in this book once.')))
  local all, rest = 0, 0
  local sums = {}
  for _, path in ipairs(paths) do
    local a, r = remainder(path, out)
    all, rest = all + a, rest + r
    local part = path:match('^chapters/[^/]*/(%a+)')
    sums[part or ''] = sums[part or ''] or { 0, 0 }
    local sum = sums[part or '']
    sum[1], sum[2] = sum[1] + a, sum[2] + r
  end
  for _, share in ipairs(status == 'done' and kShares or {}) do
    local sum = sums[share[1]]
    if sum then check_share(share[1], share[2], sum[1], sum[2]) end
  end
  page.toc[#page.toc + 1] = '<li><a href="#rest">The rest of the code</a></li>'
  page.append_row('sizes', page.name, page.chapter_told, rest, all)
end

