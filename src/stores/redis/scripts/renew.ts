import { recordFunctions } from './record-functions.ts';

/**
 * Renews many leases of one process. Never shortens, never revives, names grant id and token.
 * KEYS: leases. ARGV: idle ms, then grant id, last token and ttl ms for each key. Replies 0|1 for each key.
 *
 * The exclusive record is changed as text; only pools are read into tables.
 */
export const renewScript: string = String.raw`
${recordFunctions}
local now = readClock()
local reply = {}
for i, name in ipairs(KEYS) do
  local owner, token, till = ARGV[3 * i - 1], ARGV[3 * i], now + ARGV[3 * i + 1] * 1000
  local v = redis.call('GET', name)
  local t, o, n, e, q = string.match(v or '', '^(%d+)\n([^| ]+)|(%d+)|(%d+)\n([^\n]*)$')
  reply[i] = 0
  if t then
    if o == owner and n == token and tonumber(e) > now then
      reply[i] = 1
      if tonumber(e) < till then
        redis.call('SET', name, t .. '\n' .. o .. '|' .. n .. '|' .. digits(till) .. '\n' .. q, 'PX', ARGV[1])
      end
    end
  elseif v then
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
