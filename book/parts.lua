-- What stands in the text besides listings: figures, exercises, terms and
-- references.
local page = require 'page'
local fault, html, escape, gloss = page.fault, page.html, page.escape,
                                   page.gloss
local slice = require 'slice'

local parts = {}

local figures = 0
--- A paragraph that is one image, as a numbered figure.
function parts.figure(para)
  if #para.content ~= 1 or para.content[1].t ~= 'Image' then return nil end
  local image = para.content[1]
  local alt = image.attributes.alt or ''
  if alt == '' then
    fault('figure %s needs alt="what it shows, in words"', image.src)
  end
  figures = figures + 1
  local name = 'Figure ' .. page.number .. '.' .. figures
  if image.identifier ~= '' then page.define(image.identifier, name) end
  local path = page.folder .. image.src
  local body
  local svg = image.src:match('%.svg$') and slice.read(path)
  if svg then  -- inline: its colours follow the page's, light or dark
    body = svg:gsub('^.-<svg', '<svg role="img" aria-label="' .. escape(alt) ..
                    '"', 1)
  elseif slice.read(path) then
    body = string.format('<img src="%s%s" alt="%s">', page.to_root, path,
                         escape(alt))
  else
    fault('there is no picture %s', path)
    body = ''
  end
  local blocks = { pandoc.RawBlock('html', string.format(
      '<figure class="picture" id="%s">', image.identifier) .. body ..
      '<figcaption>') }
  table.insert(blocks, pandoc.Plain(
      { pandoc.Strong(name), pandoc.Space(), table.unpack(image.caption) }))
  table.insert(blocks, html('</figcaption></figure>'))
  return blocks
end

--- ::: {.exercise n=4.1}: the words in it, and what its folder holds.
function parts.exercise(div)
  local n = div.attributes.n or ''
  local chapter, k = n:match('^(%d+)%.(%d+)$')
  if chapter ~= page.number then
    return fault('exercise n="%s" is not one of chapter %s', n, page.number)
  end
  local folder = page.folder .. 'exercises/' .. k
  local start = slice.read(folder .. '/start.cpp')
  local tests = slice.read(folder .. '/test.cpp')
  if not start or not tests then
    return fault('exercise %s: no start.cpp and test.cpp in %s', n, folder)
  end
  page.define('ex:' .. n, 'exercise ' .. n)
  local kind = start:match('^// (Exercise [^\n]*)') or ''
  if not kind:match('^Exercise ' .. n:gsub('%.', '%%.') .. '[,.]') then
    fault('%s/start.cpp does not begin with "// Exercise %s, ..."', folder, n)
  end
  page.check_columns(start, 'exercise ' .. n)
  local red = {}
  for name in tests:gmatch('TEST_CASE%(%s*"([^"]*)"') do
    red[#red + 1] = '<li><code>' .. escape(name) .. '</code></li>'
  end
  local out = { html('<section class="exercise" id="ex:%s"><h3>%s</h3>', n,
                     escape(kind)) }
  for _, b in ipairs(div.content) do out[#out + 1] = b end
  out[#out + 1] = html('<p class="cmd"><code>$ make exercise-%s test</code>' ..
      '</p><details><summary>the starter, and the tests that are red until ' ..
      'you are done</summary><ul>%s</ul>', n, table.concat(red))
  out[#out + 1] = pandoc.CodeBlock(start, pandoc.Attr('', { 'cpp' }))
  out[#out + 1] = html('</details></section>')
  return out
end

-- [word]{.term field="the field's word"}: introduced here, glossed in the
-- margin, and again where the next two sections first use it.
local fresh_terms = {}  -- word -> {section, gloss html, shown = {}}

-- In a narrow window there is no margin: what is first said follows the word
-- in its line, and what is said again is left out (style.css).
local function side_note(inner, classes)
  return pandoc.RawInline('html', '<span class="' .. classes ..
                                  '" role="note">' .. inner .. '</span>')
end

function parts.term(span)
  local word = pandoc.utils.stringify(span.content)
  local key = span.attributes.word or word:lower()
  local g = { field = span.attributes.field or '',
              gloss = span.attributes.gloss or '' }
  if g.field == '' and g.gloss == '' then
    fault('term "%s" has neither field= nor gloss=', word)
  end
  if page.first_pass then
    local before = page.glossary[key]
    if before then
      fault('term "%s" is introduced twice, in %s before', key,
            before.page)
    end
    g.page = page.name
    page.glossary[key] = g
    page.write_row('terms', key, g.field, g.gloss, page.name)
  end
  fresh_terms[key] = { section = page.section, html = gloss(key, g), shown = {} }
  local out = { pandoc.RawInline('html', '<dfn id="term:' ..
                                         key:gsub('%s', '-') .. '">') }
  for _, inline in ipairs(span.content) do out[#out + 1] = inline end
  out[#out + 1] = pandoc.RawInline('html', '</dfn>')
  out[#out + 1] = side_note(gloss(key, g), 'sidenote word')
  return out
end

--- The first use of a fresh term in each of the next two sections.
function parts.later_use(str)
  local word = str.text:lower():gsub('[^%w-]', '')
  local t = fresh_terms[word] or fresh_terms[word:gsub('s$', '')]
  local now = page.section
  if not t or now <= t.section or now > t.section + 2 or t.shown[now] then
    return nil
  end
  t.shown[now] = true
  return { str, side_note(t.html, 'sidenote word again') }
end

--- [@lst:id], @sec:id and the like: a link with the place's name.
function parts.reference(cite)
  local out = {}
  for k, c in ipairs(cite.citations) do
    local l = page.labels[c.id]
    if not l and not page.first_pass then
      fault('nothing has the label %s', c.id)
    elseif l then
      if k > 1 then out[#out + 1] = pandoc.Str(', ') end
      out[#out + 1] = pandoc.Link(l.text, page.link(l.page, c.id))
    end
  end
  return out
end

return parts
