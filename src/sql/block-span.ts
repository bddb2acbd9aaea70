import { limits } from '../core/limits.ts';

/**
 * Numbers of a grant in SQL. A grant reserves a block from the clock on, or a single number while the last token is
 * at or above the clock; the row keeps the last number. The reply must tell which it was, and RETURNING sees only
 * the new row: so the end of the grant tells. A block ends exactly a TTL after the clock; a single number, and the
 * repeated answer to a grant that asks again, end at least one µs later.
 */
export const blockSpan: number = limits.tokenBlock - 1;

/** How much longer a grant without a block lasts. */
export const markedLonger = `interval '1 us'`;
