/**
 * bigint columns as JavaScript numbers, for our queries only: the driver's global parsers belong to the application.
 * A number that would not be exact is an error rather than a wrong token.
 */
import pg from 'pg';
import { LeaseError } from '../../core/errors.ts';

const int8 = 20;
const int8Array = 1016;

// The driver's types name only the scalar types; its table of parsers has the arrays too.
const parseArray: (text: string) => unknown = pg.types.getTypeParser(int8Array as number, 'text');

export const safeTypes: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === int8) return parseSafe;
    if (oid === int8Array) return parseSafeArray;
    return format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text');
  },
} as pg.CustomTypesConfig;

function parseSafe(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  throw new LeaseError(`The number ${text} from the database is too large to be exact in JavaScript.`, {
    code: 'store-corrupt',
  });
}

function parseSafeArray(text: string): unknown {
  const items = parseArray(text);
  return Array.isArray(items) ? items.map((item) => (item === null ? null : parseSafe(String(item)))) : items;
}
