import { limits } from '../../../core/limits.ts';
import { recordFunctions } from './record-functions.ts';

/**
 * Takes the lease or stands in line.
 * KEYS: lease. ARGV: grant id, ttl ms, line 0|1, idle ms [, weight, capacity].
 * Replies {1, first, last} or {0, last token, in line 0|1 [, holder, µs left]}.
 *
 * The top is what almost every call needs: a free record without a line. It repeats the general rules below it,
 * because reading and building the tables would double the script's time.
 */
export const acquireScript: string = String.raw`
if not ARGV[5] then
  local v = redis.call('GET', KEYS[1])
  local t = not v and 0 or tonumber((string.match(v, '^(%d+)\n\n$')))
  if t then
    local c = redis.call('TIME')
    local now = c[1] * 1000000 + c[2]
    local first, last = now, now + ${limits.tokenBlock - 1}
    if t >= now then first, last = t + 1, t + 1 end
    local n = string.format('%.0f', last)
    local e = string.format('%.0f', now + ARGV[2] * 1000)
    redis.call('SET', KEYS[1], n .. '\n' .. ARGV[1] .. '|' .. n .. '|' .. e .. '\n', 'PX', ARGV[4])
    return { 1, first, last }
  end
end
${recordFunctions}
local now = readClock()
local r = readRecord(KEYS[1])
local me = { o = ARGV[1], w = tonumber(ARGV[5]), c = tonumber(ARGV[6]) }
local granted, a, b, joined = acquire(r, me, ARGV[3] == '1', now, ARGV[2])
if granted or joined then writeRecord(KEYS[1], r, ARGV[4]) end
if granted then return { 1, a, b } end
if a then return { 0, r.t, b and 1 or 0, a.o, a.e - now } end
return { 0, r.t, b and 1 or 0 }
`;
