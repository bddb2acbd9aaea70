/**
 * Raises a fence, only upwards; an equal token is the same holder again.
 * KEYS: fence. ARGV: token, idle ms. Replies {1|0, where the fence stands}.
 *
 * An unused fence is forgotten after the idle time. That is safe: a guarded write without a fence is refused.
 */
export const claimScript: string = `
local fence, token = tonumber(redis.call('GET', KEYS[1]) or '0'), tonumber(ARGV[1])
if not fence then error('kannuki-corrupt fence') end
if token < fence then return { 0, fence } end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return { 1, token }
`;
