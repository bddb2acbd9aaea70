import { recordFunctions } from './record-functions.ts';

/**
 * Ends one grant, named by grant id and token; grants to the first in line and tells only its process.
 * KEYS: lease. ARGV: grant id|last token, or the grant id alone for any token; accept ms.
 * Replies 1, or 0: not in the record.
 *
 * The top is the release of the only holder (no space) when nobody waits (nothing after the last line break): it needs no
 * clock and builds no tables. The idle time then goes on from when the lease was taken or renewed.
 */
export function releaseScript(idleMs: string): string {
  return String.raw`
local v = redis.call('GET', KEYS[1])
if not v then return 0 end
local at = string.find(v, '\n' .. ARGV[1] .. '|', 1, true)
if at and string.byte(v, -1) == 10 and not string.find(v, ' ', at, true) then
  redis.call('SET', KEYS[1], string.sub(v, 1, at) .. '\n', 'KEEPTTL')
  return 1
end
${recordFunctions}
local owner, token = string.match(ARGV[1], '^([^|]*)|?(.*)$')
local now = readClock()
local r = readRecord(KEYS[1])
local found, rest = false, {}
for _, x in ipairs(r.holders) do
  if x.o == owner and (token == '' or digits(x.n) == token) then
    found = true
  elseif x.e > now then
    table.insert(rest, x)
  end
end
if not found then return 0 end
r.holders = rest
local heirs = passOn(r, now, ARGV[2])
writeRecord(KEYS[1], r, '${idleMs}')
tellHeirs(KEYS[1], heirs)
return 1
`;
}
