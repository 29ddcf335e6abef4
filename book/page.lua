-- What all parts of the weaver share: which page this is, its faults, and the
-- tables that the first pass hands to the second one.

local page = {}

local env = os.getenv
local dir = env('WEAVE')                      -- folder of the *.tsv
page.first_pass = env('WEAVE_PASS') == '1'
page.name = env('WEAVE_PAGE')                 -- 04-tile-ir.html
page.number = env('WEAVE_NUMBER') or ''       -- 4, A, or nothing
page.source = env('WEAVE_SOURCE')             -- chapters/04-.../chapter.md
page.folder = page.source:gsub('[^/]*$', '')  -- chapters/04-.../
page.files = env('WEAVE_FILES') or ''         -- the code that has its home here
page.to_root = env('WEAVE_ROOT') or '../'     -- from the page to the sources
page.columns = 80
-- Where the walk over the page is: the section, and the lines told in it.
page.section, page.section_told, page.chapter_told = 0, 0, 0
page.toc = {}                                 -- the page's contents, as HTML

-- Faults are collected, so that one run says all that is wrong.
local faults = {}

--- Notes a fault of this page; the arguments are string.format's.
function page.fault(...)
  faults[#faults + 1] = 'weave: ' .. page.source .. ': ' ..
                        string.format(...)
end

--- Ends the run with exit code 83 if there were faults.
function page.stop_if_faulty()
  if #faults == 0 then return end
  io.stderr:write(table.concat(faults, '\n'), '\n')
  os.exit(83)
end

--- The rows of a table, a list of cells each.
function page.read_table(name)
  local rows = {}
  local f = io.open(dir .. '/' .. name .. '.tsv')
  if not f then return rows end
  for l in f:lines() do
    local row = {}
    for cell in (l .. '\t'):gmatch('(.-)\t') do row[#row + 1] = cell end
    rows[#rows + 1] = row
  end
  f:close()
  return rows
end

--- Adds a row to a table, whatever the pass.
function page.append_row(name, ...)
  local f = assert(io.open(dir .. '/' .. name .. '.tsv', 'a'))
  f:write(table.concat({ ... }, '\t'), '\n')
  f:close()
end

--- Adds a row to a table in the first pass.
function page.write_row(name, ...)
  if page.first_pass then page.append_row(name, ...) end
end

--- What other places can refer to: id -> {text =, page =}.
page.labels = {}
for _, r in ipairs(page.read_table('labels')) do
  page.labels[r[1]] = { text = r[2], page = r[3] }
end

--- Which lines a listing tells: path -> list of {first, last, name, page, id}.
page.told = {}
for _, r in ipairs(page.read_table('told')) do
  page.told[r[1]] = page.told[r[1]] or {}
  table.insert(page.told[r[1]], { first = tonumber(r[2]),
      last = tonumber(r[3]), name = r[4], page = r[5], id = r[6] })
end

--- Our words: word -> {field =, gloss =, page =}.
page.glossary = {}
for _, r in ipairs(page.read_table('terms')) do
  page.glossary[r[1]] = { field = r[2], gloss = r[3], page = r[4] }
end

--- A word with what it means, as HTML.
function page.gloss(word, g)
  return '<b>' .. page.escape(word) .. '</b>' ..
         (g.field ~= '' and ' (' .. page.escape(g.field) .. ')' or '') ..
         (g.gloss ~= '' and '<span class="gloss">: ' ..
                            page.escape(g.gloss) .. '</span>' or '')
end

--- Gives this page's place `id` a name that references print.
function page.define(id, text)
  if not page.first_pass then return end
  if page.labels[id] then page.fault('label %s is defined twice', id) end
  page.labels[id] = { text = text, page = page.name }
  page.write_row('labels', id, text, page.name)
end

--- The address of a place from here.
function page.link(other, id)
  return (other == page.name and '' or other) .. '#' .. id
end

--- Text as HTML.
function page.escape(s)
  return (s:gsub('[&<>"]', {
    ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;', ['"'] = '&quot;' }))
end

--- A block of HTML, formatted by string.format.
function page.html(...)
  return pandoc.RawBlock('html', string.format(...))
end

--- How wide a line is.
function page.width(line) return utf8.len(line) or #line end

--- Notes a fault for each line of the text that is wider than a page.
function page.check_columns(text, what)
  for l in (text .. '\n'):gmatch('(.-)\n') do
    if page.width(l) > page.columns then
      page.fault('%s has a line of %d columns; the page has %d: %s', what,
                 page.width(l), page.columns, l)
    end
  end
end

return page
