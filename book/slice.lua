-- Parts of text files, by pattern.

local slice = {}

--- The text of a file, or nil when there is none.
function slice.read(path)
  local f = io.open(path, 'rb')
  if not f then return nil end
  local text = f:read('a')
  f:close()
  return text
end

--- The lines of a text.
function slice.split(text)
  local lines = {}
  if text:sub(-1) ~= '\n' then text = text .. '\n' end
  for l in text:gmatch('(.-)\n') do lines[#lines + 1] = l end
  return lines
end

--- The part of lines[first..last] from the line that has the words `from` to
--- the next one that has `to`; either may be absent. `from` must occur in one
--- line only, so that a new line elsewhere does not move the listing. Gives
--- first and last line, or nil, nil and what is wrong.
function slice.lines(lines, first, last, from, to)
  if from then
    local hits = {}
    for k = first, last do
      if lines[k]:find(from, 1, true) then hits[#hits + 1] = k end
    end
    if #hits == 0 then return nil, nil, 'no line has "' .. from .. '"' end
    if #hits > 1 then
      return nil, nil, '"' .. from .. '" is in lines ' ..
                       table.concat(hits, ', ')
    end
    first = hits[1]
  end
  if to then
    local k = first
    while k <= last and not lines[k]:find(to, 1, true) do k = k + 1 end
    if k > last then
      return nil, nil, 'no line has "' .. to .. '"' ..
                       (from and ' after "' .. from .. '"' or '')
    end
    last = k
  end
  return first, last
end

--- The lines as one text, moved left as far as all of them allow; `as_is`
--- keeps the indentation.
function slice.join(lines, first, last, as_is)
  local indent = math.huge
  for k = first, last do
    if lines[k]:match('%S') then
      indent = math.min(indent, #lines[k]:match('^ *'))
    end
  end
  if as_is or indent == math.huge then indent = 0 end
  local out = {}
  for k = first, last do out[#out + 1] = lines[k]:sub(indent + 1) end
  return table.concat(out, '\n')
end

return slice
