-- The weaver: a Pandoc filter that makes one page of the book. What a chapter
-- shows is taken from the files that are compiled and tested; nothing in it is
-- typed twice. book/README.md is for authors. Works with Pandoc 2.17 and later.
--
-- It runs twice over every page. The first pass collects what a page defines
-- (labels, told lines, terms) in $WEAVE/*.tsv, the second one writes HTML.

local here = PANDOC_SCRIPT_FILE:match('^(.*/)') or './'
package.path = here .. '?.lua;' .. package.path
local page = require 'page'
local parts = require 'parts'
local listing = require 'listing'
local remainders = require 'rest'
local made = require 'made'
local fault, html = page.fault, page.html

local kSectionLines = 220  -- a sitting

local function close_section()
  if page.section_told > kSectionLines then
    fault('section %s.%d tells %d lines; a sitting has at most %d',
          page.number, page.section, page.section_told, kSectionLines)
  end
  page.section_told = 0
end

local title

local function header(h)
  if h.level == 1 then
    if title then fault('a page has one title, "# ..."') end
    title = pandoc.utils.stringify(h.content)
    return {}  -- the template prints it
  end
  if h.level ~= 2 then return nil end
  close_section()
  local text = pandoc.utils.stringify(h.content)
  local mark = ''
  if page.number ~= '' and not h.classes:includes('unnumbered') then
    page.section = page.section + 1
    mark = page.number .. '.' .. page.section
    if h.identifier:match('^sec:') then
      page.define(h.identifier, 'section ' .. mark)
    end
    h.content:insert(1, pandoc.Str(mark .. ' '))
  end
  page.write_row('sections', page.name, h.identifier, mark, text)
  table.insert(page.toc, string.format('<li><a href="#%s">%s %s</a></li>',
      h.identifier, mark, page.escape(text)))
  return h
end

local walk
-- The blocks in the order of reading, since sections and listings are counted.
local function blocks_in_order(list)
  local out = pandoc.List()
  for _, b in ipairs(list) do
    local new
    if b.t == 'Header' then new = header(b)
    elseif b.t == 'CodeBlock' then new = listing(b)
    elseif b.t == 'Div' and b.classes:includes('exercise') then
      b.content = blocks_in_order(b.content)
      new = parts.exercise(b)
    elseif b.t == 'Div' or b.t == 'BlockQuote' then
      b.content = blocks_in_order(b.content)
    elseif b.t == 'BulletList' or b.t == 'OrderedList' then
      for i, item in ipairs(b.content) do
        b.content[i] = blocks_in_order(item)
      end
    else
      new = b.t == 'Para' and parts.figure(b)
      if not new then new = walk(b) end
    end
    if new == nil or new == false then new = b end
    if new.t then out:insert(new) else out:extend(new) end
  end
  return out
end

-- Inlines of one block.
walk = function(block)
  return pandoc.walk_block(block, {
    CodeBlock = function()
      fault('a listing stands by itself, not in a table')
    end,
    Code = function(c)  -- Pandoc leaves a fence it cannot read in the text
      if c.text:match('^{%.%l+ .*=') then
        fault('a listing is not understood; does a value in it begin ' ..
              'with a space? %s', c.text)
      end
    end,
    Math = function(m)
      fault('formula "%s": write it in the notation of the IRs, or draw it',
            m.text)
    end,
    Image = function(i)
      if (i.attributes.alt or pandoc.utils.stringify(i.caption)) == '' then
        fault('image %s has no alt text', i.src)
      end
    end,
    Cite = parts.reference,
    Note = function(n)
      local inner = pandoc.utils.blocks_to_inlines(n.content)
      return pandoc.Span(inner, pandoc.Attr('', { 'sidenote' },
                                            { role = 'note' }))
    end,
    Span = function(s)
      if s.classes:includes('term') then return parts.term(s) end
    end,
    Str = parts.later_use,
  })
end

function Pandoc(doc)
  local status = doc.meta.status and pandoc.utils.stringify(doc.meta.status) or
                 'draft'
  local out = blocks_in_order(doc.blocks)
  close_section()
  if not title then fault('no title, "# ..."') end
  if status == 'stub' then
    out:insert(1, html('<p class="stub">This chapter is not written yet: the ' ..
        'code below is complete and tested, its story is not.</p>'))
  end
  page.write_row('pages', page.name, page.number, title or '', status)
  if page.number ~= '' then
    local name = page.name:gsub('%.html$', ''):gsub('^%d+%-', '')
    local kind = page.number:match('%d') and 'chapter ' or 'Appendix '
    if page.number == 'M' then page.define('ch:machine', 'the machine')
    else page.define('ch:' .. name, kind .. page.number) end
  end
  if not page.first_pass then
    remainders(out, status)
    if doc.meta.contents then made.contents(out) end
    if doc.meta.glossary then made.glossary(out) end
    made.navigation(doc.meta)
  end
  page.stop_if_faulty()
  doc.meta.pagetitle = title
  doc.meta.title = (page.number ~= '' and page.number .. ' · ' or '') .. title
  return pandoc.Pandoc(out, doc.meta)
end
