import { recordFunctions } from './record-functions.ts';

/**
 * Renews many leases of one process. Never shortens, never revives, names grant id and token.
 * KEYS: leases. ARGV: idle ms, then grant id|last token and ttl ms for each key. Replies 0|1 for each key.
 *
 * Only the holder's own field is read and written, under either of its names.
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
  local field = mine
  local v = redis.call('HGET', name, field)
  if not v then
    field = ' ' .. mine
    v = redis.call('HGET', name, field)
  end
  reply[i] = 0
  if v then
    local e, share = string.match(v, '^(%d+)(.*)$')
    if not e then error('kannuki-corrupt holder') end
    e = tonumber(e)
    if e > now then
      reply[i] = 1
      if e < till then
        redis.call('HSET', name, field, tillText .. share)
        redis.call('PEXPIRE', name, ARGV[1])
      end
    end
  end
end
return reply
`;
