import { writeCursor } from './page-cursor.ts';

export interface PageRequest<Row> {
  readonly list: string;
  readonly limit: number;
  /** Reads up to so many rows after the place. */
  readonly read: (limit: number) => Promise<readonly Row[]>;
  /** Where a row stands in the order of the list. */
  readonly placeOf: (row: Row) => readonly (number | string)[];
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Absent on the last page. */
  readonly more: { readonly cursor?: string };
}

/** One page. One row more than asked for is read, so the last page is known as such. */
export async function pageOf<Row>({ list, limit, read, placeOf }: PageRequest<Row>): Promise<Page<Row>> {
  const found = await read(limit + 1);
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, more: found.length > limit && last !== undefined ? { cursor: writeCursor(list, placeOf(last)) } : {} };
}
