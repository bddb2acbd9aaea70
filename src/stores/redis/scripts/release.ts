import { recordFunctions } from './record-functions.ts';

/**
 * Ends one grant, named by grant id and token; grants to the first in line and tells only its process.
 * KEYS: lease. ARGV: grant id|last token, or the grant id alone for any token; accept ms.
 * Replies 1, or 0: not in the record.
 *
 * For those who must hand over, or may have to: who holds what nobody waits for deletes its name in the record.
 */
export function releaseScript(idleMs: string): string {
  return String.raw`
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
