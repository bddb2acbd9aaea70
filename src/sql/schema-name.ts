import { LeaseError } from '../core/errors.ts';

/** The name becomes part of channel names, which PostgreSQL ends after 63 bytes; the rest is for the process id. */
const schemaNameMax = 40;

/** The schema as a quoted identifier. Only plain names, so that it may stand inside function bodies and channels. */
export function quoteSchema(schema: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(schema) || schema.length > schemaNameMax) {
    throw new LeaseError(
      `The schema name ${JSON.stringify(schema)} must consist of letters, digits and underscores, begin with no digit and have at most ${schemaNameMax} characters.`,
      { code: 'invalid-argument' },
    );
  }
  return `"${schema}"`;
}
