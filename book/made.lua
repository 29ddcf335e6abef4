-- What the weaver makes by itself: contents, glossary, the way around.
local page = require 'page'
local html, escape = page.html, page.escape

local made = {}

local pages = page.read_table('pages')  -- page, number, title, status

local function chapter_name(r)
  if r[2] == '' then return r[3] end
  -- M is the machine, which stands among the chapters.
  local kind = r[2]:match('^[%dM]+$') and '' or 'Appendix '
  return kind .. r[2] .. ' · ' .. r[3]
end

--- Adds all chapters with their sections.
function made.contents(out)
  local sections = page.read_table('sections')
  local rows = {}
  for _, r in ipairs(pages) do
    if r[1] ~= page.name then
      rows[#rows + 1] = string.format('<li><a href="%s">%s</a>%s<ul>', r[1],
          escape(chapter_name(r)),
          r[4] == 'stub' and ' <em>(not written yet)</em>' or '')
      for _, s in ipairs(sections) do
        if s[1] == r[1] and s[3] ~= '' then
          rows[#rows + 1] = string.format(
              '<li><a href="%s#%s">%s %s</a></li>', s[1], s[2], s[3],
              escape(s[4]))
        end
      end
      rows[#rows + 1] = '</ul></li>'
    end
  end
  out:insert(html('<ul class="contents">%s</ul>', table.concat(rows)))
end

--- Adds all our words.
function made.glossary(out)
  local words = {}
  for word in pairs(page.glossary) do words[#words + 1] = word end
  table.sort(words)
  for _, word in ipairs(words) do
    local g = page.glossary[word]
    out:insert(html('<p class="entry">%s <a href="%s#term:%s">where</a></p>',
                    page.gloss(word, g), g.page, (word:gsub('%s', '-'))))
  end
end

--- Gives the template the list of pages, this page's contents, prev and next.
function made.navigation(meta)
  local rows = {}
  for k, r in ipairs(pages) do
    if r[1] ~= 'index.html' then  -- it stands at the head of the list
      rows[#rows + 1] = string.format('<li%s><a href="%s">%s</a></li>',
          r[1] == page.name and ' class="here" aria-current="page"' or '',
          r[1], escape(chapter_name(r)))
    end
    if r[1] == page.name then
      local function link(name, other)
        if other then
          meta[name] = pandoc.RawInline('html', string.format(
              '<a rel="%s" href="%s">%s</a>', name, other[1],
              escape(chapter_name(other))))
        end
      end
      link('prev', pages[k - 1])
      link('next', pages[k + 1])
    end
  end
  meta.chapters = pandoc.RawBlock('html', table.concat(rows, '\n'))
  if #page.toc > 0 then
    meta.sections = pandoc.RawBlock('html', table.concat(page.toc, '\n'))
  end
end

return made
