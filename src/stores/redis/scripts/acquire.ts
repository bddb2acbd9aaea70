import { limits } from '../../../core/limits.ts';
import { recordFunctions } from './record-functions.ts';

/**
 * Takes the lease, or with `line` stands in line.
 * KEYS: lease. ARGV: grant id, ttl ms [, weight, capacity].
 * Replies the first number of a whole block, {1, first, last}, or {0, last token, in line 0|1 [, holder, µs left]}.
 *
 * The top is what almost every call needs: a free record without a line, behind the clock. It repeats the general rules
 * below it, because reading and building the tables would double the script's time; one number is the cheapest answer
 * to send and to read; and what hardly changes stands in the text, because every argument costs on both sides.
 */
export function acquireScript(idleMs: string, line: boolean): string {
  return String.raw`
if not ARGV[3] then
  local v = redis.call('GET', KEYS[1])
  local t = not v and 0 or tonumber((string.match(v, '^(%d+)\n\n$')))
  if t then
    local c = redis.call('TIME')
    local now = c[1] * 1000000 + c[2]
    if t < now then
      local n = string.format('%.0f', now + ${limits.tokenBlock - 1})
      local e = string.format('%.0f', now + ARGV[2] * 1000)
      redis.call('SET', KEYS[1], n .. '\n' .. ARGV[1] .. '|' .. n .. '|' .. e .. '\n', 'PX', '${idleMs}')
      return now
    end
  end
end
${recordFunctions}
local now = readClock()
local r = readRecord(KEYS[1])
local me = { o = ARGV[1], w = tonumber(ARGV[3]), c = tonumber(ARGV[4]) }
local granted, a, b, joined = acquire(r, me, ${line}, now, ARGV[2])
if granted or joined then writeRecord(KEYS[1], r, '${idleMs}') end
if granted then return { 1, a, b } end
if a then return { 0, r.t, b and 1 or 0, a.o, a.e - now } end
return { 0, r.t, b and 1 or 0 }
`;
}
