/**
 * What the scripts share: the record, and the core's decisions on it in Lua.
 *
 * A record is one hash:
 *   t                            the last token
 *   <grant id>|<last token>      a holder: <end µs>[|<weight>|<capacity>]
 *   l                            the line, only if somebody waits: <grant id>[|<weight>|<capacity>] …, oldest first
 * While somebody waits, the names of holders begin with a space. So a holder that deletes its plain name has given back
 * a lease that nobody waits for; one that must hand over finds nothing to delete, and then runs the script.
 *
 * Grant ids contain neither spaces nor "|" (the store checks them). Lua prints large numbers in exponent form, hence
 * `digits`. TIME is read once per script: every decision in it has the same now.
 */
import { limits } from '../../../core/limits.ts';

export const recordFunctions: string = String.raw`
local function readClock()
  local c = redis.call('TIME')
  return c[1] * 1000000 + c[2]
end
local function digits(n) return string.format('%.0f', n) end
local function shareText(x)
  if x.w then return '|' .. digits(x.w) .. '|' .. digits(x.c) end
  return ''
end
local function readShare(x, s)
  local w, c = string.match(s, '^|(%d+)|(%d+)$')
  x.w, x.c = tonumber(w), tonumber(c)
  return x
end
local function readRecord(name)
  local r = { t = 0, holders = {}, line = {}, was = {} }
  local v = redis.call('HGETALL', name)
  for i = 1, #v, 2 do
    local field, value = v[i], v[i + 1]
    r.was[field] = value
    if field == 't' then
      r.t = tonumber(value) or error('kannuki-corrupt token')
    elseif field == 'l' then
      for item in string.gmatch(value, '%S+') do
        local o, s = string.match(item, '^([^|]+)(.*)$')
        if not o then error('kannuki-corrupt waiter') end
        table.insert(r.line, readShare({ o = o }, s))
      end
    else
      local o, n = string.match(field, '^ ?([^|]+)|(%d+)$')
      local e, s = string.match(value, '^(%d+)(.*)$')
      if not o or not e then error('kannuki-corrupt holder') end
      table.insert(r.holders, readShare({ o = o, n = tonumber(n), e = tonumber(e) }, s))
    end
  end
  -- A large hash has no order of its own.
  table.sort(r.holders, function(a, b) return a.n < b.n end)
  return r
end
local function inParts(command, name, words)
  for i = 1, #words, 1000 do redis.call(command, name, unpack(words, i, math.min(i + 999, #words))) end
end
-- Writes what has changed since it was read.
local function writeRecord(name, r, idle)
  local changed, gone = {}, {}
  local function put(field, value)
    if r.was[field] ~= value then
      table.insert(changed, field)
      table.insert(changed, value)
    end
    r.was[field] = nil
  end
  local mark = r.line[1] and ' ' or ''
  put('t', digits(r.t))
  for _, x in ipairs(r.holders) do put(mark .. x.o .. '|' .. digits(x.n), digits(x.e) .. shareText(x)) end
  if r.line[1] then
    local q = {}
    for i, x in ipairs(r.line) do q[i] = x.o .. shareText(x) end
    put('l', table.concat(q, ' '))
  end
  for field in pairs(r.was) do table.insert(gone, field) end
  inParts('HSET', name, changed)
  inParts('HDEL', name, gone)
  redis.call('PEXPIRE', name, idle)
end
local function liveHolders(r, now)
  local live = {}
  for _, x in ipairs(r.holders) do
    if x.e > now then table.insert(live, x) end
  end
  return live
end
local function without(list, owner)
  local rest = {}
  for _, x in ipairs(list) do
    if x.o ~= owner then table.insert(rest, x) end
  end
  return rest
end
local function fits(live, w, c)
  if #live == 0 then return not w or w <= c end
  if not w then return false end
  for _, x in ipairs(live) do
    if x.c ~= c then return false end
    w = w + x.w
  end
  return w <= c
end
-- A block behind the clock; a single number ahead of it, or for a share.
local function grant(r, who, now, till)
  local first, last = r.t + 1, r.t + 1
  if r.t < now then
    first, last = now, now
    if not who.w then last = now + ${limits.tokenBlock - 1} end
  end
  r.t = last
  table.insert(r.holders, { o = who.o, n = last, e = till, w = who.w, c = who.c })
  return first, last
end
-- Changes r. Granted: true, first, last. Refused: false, first live holder, in line, whether r has changed.
local function acquire(r, me, line, now, ttl)
  local till = now + ttl * 1000
  for _, x in ipairs(r.holders) do
    if x.o == me.o then
      x.e = math.max(x.e, till)
      r.line = without(r.line, me.o)
      return true, x.n, x.n
    end
  end
  local live = liveHolders(r, now)
  if fits(live, me.w, me.c) and (#live == 0 or #r.line == 0 or r.line[1].o == me.o) then
    r.holders = live
    r.line = without(r.line, me.o)
    return true, grant(r, me, now, till)
  end
  local standing = false
  for _, x in ipairs(r.line) do standing = standing or x.o == me.o end
  local joins = line and not standing and #r.line < ${limits.lineMax}
  if joins then table.insert(r.line, me) end
  return false, live[1], standing or joins, joins
end
-- The channel of a process: what stands before the brace of the lease's name, then the process.
local function tell(name, owner, text)
  redis.call('PUBLISH', string.match(name, '^[^{]*') .. string.match(owner, '^[^.]*'), text)
end
-- Grants to as many of the line as fit, in order; returns who must be told once the record is written.
local function passOn(r, now, accept)
  local heirs = {}
  while r.line[1] and fits(r.holders, r.line[1].w, r.line[1].c) do
    local who = table.remove(r.line, 1)
    local first, last = grant(r, who, now, now + accept * 1000)
    table.insert(heirs, { o = who.o, text = 'granted ' .. digits(first) .. ' ' .. digits(last) .. ' ' .. accept .. ' ' .. who.o })
  end
  return heirs
end
local function tellHeirs(name, heirs)
  for _, heir in ipairs(heirs) do tell(name, heir.o, heir.text .. ' ' .. name) end
end
`;
