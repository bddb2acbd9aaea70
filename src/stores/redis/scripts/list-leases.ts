import { recordFunctions } from './record-functions.ts';

/**
 * Who holds the named leases now. KEYS: leases.
 * Replies one list for each key: {how many wait, then grant id, last token, µs left, weight or 0, capacity or 0, …}.
 */
export const listLeasesScript: string = `
${recordFunctions}
local now = readClock()
local reply = {}
for i, name in ipairs(KEYS) do
  local r = readRecord(name)
  local item = { #r.line }
  for _, x in ipairs(liveHolders(r, now)) do
    for _, part in ipairs({ x.o, x.n, x.e - now, x.w or 0, x.c or 0 }) do table.insert(item, part) end
  end
  reply[i] = item
end
return reply
`;
