import { limits } from '../core/limits.ts';

/** Distance from the first to the last number of a block. */
export const blockSpan: number = limits.tokenBlock - 1;

/**
 * The last number of the next exclusive grant, as SQL: a block from the clock on, or a single number while the last
 * token is at or above the clock. The reply tells a block by `last = clock + span`, so a single number that happens
 * to be just that is skipped.
 */
export function nextBlock(lastToken: string, us: string): string {
  return `case when ${lastToken} < ${us} then ${us} + ${blockSpan}
                     when ${lastToken} = ${us} + ${blockSpan - 1} then ${lastToken} + 2
                     else ${lastToken} + 1 end`;
}
