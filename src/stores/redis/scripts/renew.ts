import { recordFunctions } from './record-functions.ts';

/**
 * Renews many leases of one process. Never shortens, never revives, names grant id and token.
 * KEYS: leases. ARGV: idle ms, then grant id|last token and ttl ms for each key. Replies 0|1 for each key.
 *
 * The exclusive record is changed as text; only pools are read into tables.
 */
export const renewScript: string = String.raw`
${recordFunctions}
local now = readClock()
local reply = {}
local ttl, till, tillText
for i, name in ipairs(KEYS) do
  local mine = ARGV[2 * i]
  if ARGV[2 * i + 1] ~= ttl then
    ttl = ARGV[2 * i + 1]
    till = now + ttl * 1000
    tillText = digits(till)
  end
  local v = redis.call('GET', name)
  local at = v and string.find(v, '\n' .. mine .. '|', 1, true)
  local from = at and at + #mine + 2
  local e, rest = string.match(v or '', '^(%d+)(\n[^\n]*)$', from or 1)
  reply[i] = 0
  if at and e then
    e = tonumber(e)
    if e > now then
      reply[i] = 1
      if e < till then redis.call('SET', name, string.sub(v, 1, from - 1) .. tillText .. rest, 'PX', ARGV[1]) end
    end
  elseif v then
    local owner, token = string.match(mine, '^([^|]*)|(.*)$')
    local r = readRecord(name)
    for _, x in ipairs(r.holders) do
      if x.o == owner and digits(x.n) == token and x.e > now then
        reply[i] = 1
        x.e = math.max(x.e, till)
        writeRecord(name, r, ARGV[1])
      end
    end
  end
end
return reply
`;
