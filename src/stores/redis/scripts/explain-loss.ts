import { recordFunctions } from './record-functions.ts';

/**
 * Why a grant is no longer in force. KEYS: lease, reasons. ARGV: grant id, last token.
 * Replies {'broken', who and why as JSON}, {'taken', holder} or {'expired'}.
 */
export const explainLossScript: string = `
${recordFunctions}
local reason = redis.call('HGET', KEYS[2], ARGV[1] .. '|' .. ARGV[2])
if reason then return { 'broken', reason } end
for _, x in ipairs(liveHolders(readRecord(KEYS[1]), readClock())) do
  if x.o ~= ARGV[1] then return { 'taken', x.o } end
end
return { 'expired' }
`;
