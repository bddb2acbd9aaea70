/** Which statements `migrate` sends, in which order, to a database that only remembers; on PGlite: migrate.test.ts. */
import { describe, expect, it } from 'vitest';
import { LeaseError } from '../core/errors.ts';
import type { MigrationSet, SqlDatabase, SqlStatement } from '../core/ports.ts';
import { describeMigrations, migrate, migrateWithin, type RecordedMigration } from './migrate.ts';

const books: MigrationSet = {
  system: 'books',
  migrations: [
    { number: 2, name: 'titles', statements: (schema) => [`alter ${schema}.books`] },
    { number: 1, name: 'books', statements: (schema) => [`create ${schema}.books`, `index ${schema}.books`] },
  ],
};

function remembering(
  recorded: readonly RecordedMigration[] | undefined,
  { failure }: { failure: unknown } = { failure: Object.assign(new Error('none'), { code: '42P01' }) },
) {
  const sent: string[] = [];
  const named: (readonly unknown[])[] = [];
  const rows: RecordedMigration[] = [...(recorded ?? [])];
  let exists = recorded !== undefined;
  const query = async ({ text, values = [] }: SqlStatement) => {
    sent.push(text.trim().split('\n')[0] as string);
    if (text.includes('$1') && !text.startsWith('insert')) named.push(values);
    if (text.includes('to_regclass')) return { rows: [{ schema: exists, record: exists }], rowCount: 1 };
    if (text.includes('create table')) exists = true;
    if (text.startsWith('insert')) {
      const [system, number, , checksum] = values as [string, number, string, string];
      rows.push({ system, number, checksum });
    }
    if (!text.startsWith('select system')) return { rows: [], rowCount: 0 };
    if (!exists) throw failure;
    return { rows, rowCount: rows.length };
  };
  const database = {
    schema: 'k',
    query,
    transaction: async (work: (tx: unknown) => Promise<unknown>) => {
      sent.push('begin');
      const value = await work({ query });
      sent.push('commit');
      return value;
    },
  } as unknown as SqlDatabase;
  return { database, sent, rows, named };
}

describe('migrate', () => {
  it('on a new database: lock, look, create, apply in the order of numbers, record each', async () => {
    const { database, sent, rows, named } = remembering(undefined);
    expect(await migrate(database, [books])).toEqual({
      applied: [
        { system: 'books', number: 1, name: 'books' },
        { system: 'books', number: 2, name: 'titles' },
      ],
    });
    const insert = 'insert into "k".migrations (system, number, name, checksum) values ($1, $2, $3, $4)';
    expect(sent).toEqual([
      'select system, number, checksum from "k".migrations',
      'begin',
      'select pg_advisory_xact_lock(hashtextextended($1, 0))',
      'select to_regnamespace($1) is not null as schema, to_regclass($2) is not null as record',
      'create schema "k"',
      'create table "k".migrations (',
      'select system, number, checksum from "k".migrations',
      'create "k".books',
      'index "k".books',
      insert,
      'alter "k".books',
      insert,
      'commit',
    ]);
    // The lock is one per schema: starters of another do not wait.
    expect(named).toEqual([['kannuki migrate k'], ['"k"', '"k".migrations']]);
    expect(rows).toEqual(await describeMigrations([books]));
    expect(new Set(rows.map(({ checksum }) => checksum)).size).toBe(2);
  });

  it('up to date: one select, no lock; what is recorded for others does not count', async () => {
    const recorded = await describeMigrations([books]);
    const { database, sent } = remembering([...recorded, { system: 'shelves', number: 9, checksum: 'x' }]);
    expect(await migrate(database, [books])).toEqual({ applied: [] });
    expect(sent).toEqual(['select system, number, checksum from "k".migrations']);
  });

  it('one missing: creates nothing that is there, applies only that one', async () => {
    const [first] = await describeMigrations([books]);
    const { database, sent } = remembering(first ? [first] : []);
    expect((await migrate(database, [books])).applied).toEqual([{ system: 'books', number: 2, name: 'titles' }]);
    expect(sent.filter((text) => text.startsWith('create'))).toEqual([]);
  });

  it('an empty record is one: the look under the lock counts', async () => {
    const { database, sent } = remembering([]);
    expect((await migrate(database, [books])).applied).toHaveLength(2);
    expect(sent).not.toContain('create schema "k"');
  });

  it('refuses what a newer version made, and a text that was changed, before it locks anything', async () => {
    const recorded = await describeMigrations([books]);
    const newer = remembering([...recorded, { system: 'books', number: 3, checksum: 'x' }]);
    await expect(migrate(newer.database, [books])).rejects.toMatchObject({ code: 'schema-newer' });
    const changed = remembering(recorded.map((row) => ({ ...row, checksum: 'x' })));
    await expect(migrate(changed.database, [books])).rejects.toMatchObject({ code: 'store-refused' });
    for (const { sent } of [newer, changed]) expect(sent).not.toContain('begin');
  });

  it.each(['42P01', '3F000'])(
    'takes a missing table or schema (%s) for a new database, also as a cause',
    async (code) => {
      const cause = Object.assign(new Error('missing'), { code });
      for (const failure of [cause, new LeaseError('refused', { code: 'store-refused', cause })]) {
        expect((await migrate(remembering(undefined, { failure }).database, [books])).applied).toHaveLength(2);
      }
    },
  );

  it.each([new Error('down'), 'text', undefined, null, Object.assign(new Error('x'), { cause: { code: '42P01' } })])(
    'any other failure is told as it is: %s',
    async (failure) => {
      const { database, sent } = remembering(undefined, { failure });
      expect(await migrate(database, [books]).catch((thrown: unknown) => thrown)).toBe(failure);
      expect(sent).toHaveLength(1);
    },
  );
});

it('within a transaction of the caller it locks and applies, without the first look', async () => {
  const { database, sent } = remembering(undefined);
  await migrateWithin(database, 'k', [books]);
  expect(sent[0]).toContain('pg_advisory_xact_lock');
  expect(sent.filter((text) => text.startsWith('insert'))).toHaveLength(2);
});
