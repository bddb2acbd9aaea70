import { limits } from '../../../core/limits.ts';
import { recordFunctions } from './record-functions.ts';

/** Within an hour of the last grant the time to live is left as it is; it is set an hour longer for that. */
export const slackMs = 3_600_000;

/** The record keeps the last number of a block. */
const block = limits.tokenBlock - 1;

/**
 * Takes the lease, or with `line` stands in line.
 * KEYS: lease. ARGV: grant id, ttl ms [, weight, capacity].
 * Replies the first number of a whole block, {1, first, last}, or {0, last token, in line 0|1 [, holder, µs left]}.
 *
 * The top is what almost every call needs: a free record without a line, behind the clock. It repeats the general rules
 * below it, because reading and building the tables would double the script's time. Everything in it was measured:
 * one number is the cheapest answer, what hardly changes stands in the text, a time to live that is left alone costs
 * nothing, and `%d` a fifth of `%.0f`. A server of 32 bits cannot write our numbers with `%d`: what it writes is too short.
 */
export function acquireScript(idleMs: string, line: boolean): string {
  return String.raw`
local v = redis.call('HGETALL', KEYS[1])
if not v[3] and not ARGV[3] then
  local t = not v[1] and 0 or v[1] == 't' and tonumber(v[2])
  if t then
    local c = redis.call('TIME')
    local now = c[1] * 1000000 + c[2]
    local n = string.format('%d', now + ${block})
    if t < now and #n > 11 then
      redis.call('HSET', KEYS[1], 't', n, ARGV[1] .. '|' .. n, string.format('%d', now + ARGV[2] * 1000))
      t = t - ${block}
      if t - t % ${slackMs * 1_000} ~= now - now % ${slackMs * 1_000} then
        redis.call('PEXPIRE', KEYS[1], '${idleMs}')
      end
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
