import { recordFunctions } from './record-functions.ts';

/** Of one key; more would be a log in the wrong place. */
const reasonsMax = 64;

/**
 * Ends every grant by an operator's word. The token rises, so that the broken holder's numbers are behind; the reason
 * is kept for a while in a hash beside the lease, one field per grant; then the line gets its turn.
 * KEYS: lease, reasons. ARGV: accept ms, idle ms, who and why as JSON. Replies {token, owner, …}, or {}: nobody held it.
 */
export const breakLeaseScript: string = `
${recordFunctions}
local now = readClock()
local r = readRecord(KEYS[1])
local broken = liveHolders(r, now)
if #broken == 0 then return {} end
r.t = math.max(r.t + 1, now)
r.holders = {}
local heirs = passOn(r, now, ARGV[1])
writeRecord(KEYS[1], r, ARGV[2])
local reply = { r.t }
if redis.call('HLEN', KEYS[2]) + #broken > ${reasonsMax} then redis.call('DEL', KEYS[2]) end
for _, x in ipairs(broken) do
  redis.call('HSET', KEYS[2], x.o .. '|' .. digits(x.n), ARGV[3])
  tell(KEYS[1], x.o, 'broken ' .. x.o .. ' ' .. KEYS[1])
  table.insert(reply, x.o)
end
redis.call('PEXPIRE', KEYS[2], ARGV[2])
tellHeirs(KEYS[1], heirs)
return reply
`;
