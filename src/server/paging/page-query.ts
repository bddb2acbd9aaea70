/** What every list is asked with beside its filters, and the part of its answer that leads to the next page. */
import { z } from 'zod';
import { limits } from '../../core/limits.ts';
import { cursorOf, idPlace } from './page-cursor.ts';

/** Rows of one page; a reader that wants all asks for page after page. */
export const pageLimit = z.coerce.number().int().min(1).max(limits.listMax).exactOptional();

export interface PagedReply {
  /** Send it to get the next page; absent: this was the last. */
  readonly cursor?: string;
}

export const nextCursor = z
  .string()
  .meta({ description: 'Send it to get the next page; absent: this was the last.' })
  .exactOptional();

/** Of a list in the order of its ids. */
export interface IdPage {
  readonly cursor?: readonly [number];
  readonly limit?: number;
}

export function idPageFields(list: string) {
  return { cursor: cursorOf(list, idPlace).exactOptional(), limit: pageLimit };
}
