import { recordFunctions } from './record-functions.ts';

/**
 * Takes every lease or none: nothing is written before all were decided.
 * KEYS: leases. ARGV: grant id, ttl ms, idle ms.
 * Replies {1, first, last, first, last, …} or {0, index of the refused key [, holder, µs left]}.
 */
export const acquireAllScript: string = `
${recordFunctions}
local now = readClock()
local records, reply = {}, { 1 }
for i, name in ipairs(KEYS) do
  local r = readRecord(name)
  local granted, a, b = acquire(r, { o = ARGV[1] }, false, now, ARGV[2])
  if not granted then
    if a then return { 0, i, a.o, a.e - now } end
    return { 0, i }
  end
  records[i] = r
  table.insert(reply, a)
  table.insert(reply, b)
end
for i, name in ipairs(KEYS) do writeRecord(name, records[i], ARGV[3]) end
return reply
`;
