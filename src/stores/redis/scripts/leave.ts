import { recordFunctions } from './record-functions.ts';

/**
 * Gives up waiting. KEYS: lease. ARGV: grant id, idle ms.
 * Replies 1, or 0: not in line. Then the grant may have arrived, and the caller releases it without a token.
 */
export const leaveScript: string = `
${recordFunctions}
local r = readRecord(KEYS[1])
local line = without(r.line, ARGV[1])
if #line == #r.line then return 0 end
r.line = line
writeRecord(KEYS[1], r, ARGV[2])
return 1
`;
