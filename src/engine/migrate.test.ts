import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MigrationSet, SqlDatabase, SqlExecutor } from '../core/ports.ts';
import { pgliteDatabase } from '../stores/pglite/index.ts';
import { migrate } from './migrate.ts';

const books: MigrationSet = {
  system: 'books',
  migrations: [
    { number: 1, name: 'books', statements: (schema) => [`create table ${schema}.books (id int primary key)`] },
    { number: 2, name: 'titles', statements: (schema) => [`alter table ${schema}.books add column title text`] },
  ],
};
const [first] = books.migrations;
const onlyFirst: MigrationSet = { system: 'books', migrations: first ? [first] : [] };

let pglite: SqlDatabase;
let schemas = 0;

beforeAll(async () => {
  pglite = pgliteDatabase({ dir: 'memory' });
  await pglite.query({ text: 'select 1' });
});

afterAll(() => pglite.close());

/** A schema of its own on the one server, with a count of what is sent. */
function setup(): { readonly database: SqlDatabase; readonly sent: string[] } {
  const sent: string[] = [];
  const counted = (on: SqlExecutor): SqlExecutor => ({
    query: (statement) => {
      sent.push(statement.text);
      return on.query(statement);
    },
  });
  const database: SqlDatabase = {
    ...pglite,
    ...counted(pglite),
    schema: `books_${schemas++}`,
    transaction: (work) => pglite.transaction((tx) => work(counted(tx))),
  };
  return { database, sent };
}

async function tablesOf({ schema }: SqlDatabase): Promise<readonly string[]> {
  const { rows } = await pglite.query<{ name: string }>({
    text: `select tablename as name from pg_tables where schemaname = $1 order by 1`,
    values: [schema],
  });
  return rows.map((row) => row.name);
}

describe('migrate', () => {
  it('applies what is missing, in order, and says what', async () => {
    const { database } = setup();
    expect(await migrate(database, [onlyFirst])).toEqual({ applied: [{ system: 'books', number: 1, name: 'books' }] });
    expect(await migrate(database, [books])).toEqual({ applied: [{ system: 'books', number: 2, name: 'titles' }] });
    expect(await tablesOf(database)).toEqual(['books', 'migrations']);
  });

  it('needs one select when nothing is missing', async () => {
    const { database, sent } = setup();
    await migrate(database, [books]);
    sent.length = 0;
    expect(await migrate(database, [books])).toEqual({ applied: [] });
    expect(sent).toEqual([`select system, number, checksum from "${database.schema}".migrations`]);
  });

  it('takes the lock before it creates anything', async () => {
    const { database, sent } = setup();
    await migrate(database, [books]);
    const lock = sent.findIndex((text) => text.includes('pg_advisory_xact_lock'));
    const create = sent.findIndex((text) => text.includes('create schema'));
    expect(lock).toBeGreaterThan(0);
    expect(create).toBeGreaterThan(lock);
  });

  it('leaves nothing half-done when a statement fails', async () => {
    const { database } = setup();
    const broken: MigrationSet = {
      system: 'books',
      migrations: [
        ...onlyFirst.migrations,
        { number: 2, name: 'broken', statements: (schema) => [`create table ${schema}.more (id int)`, 'select 1 / 0'] },
      ],
    };
    await expect(migrate(database, [broken])).rejects.toThrow('division by zero');
    expect(await tablesOf(database)).toEqual([]);
    expect((await migrate(database, [books])).applied).toHaveLength(2);
  });

  it('refuses a database made by a newer version, and changes nothing', async () => {
    const { database } = setup();
    await migrate(database, [books]);
    await expect(migrate(database, [onlyFirst])).rejects.toMatchObject({
      code: 'schema-newer',
      message: expect.stringContaining('books 2, this version knows 1'),
    });
  });

  it('refuses a migration whose text was changed after it was applied', async () => {
    const { database } = setup();
    await migrate(database, [onlyFirst]);
    const changed: MigrationSet = {
      system: 'books',
      migrations: [{ number: 1, name: 'books', statements: (schema) => [`create table ${schema}.books (id bigint)`] }],
    };
    await expect(migrate(database, [changed])).rejects.toMatchObject({
      code: 'store-refused',
      message: expect.stringContaining('books 1'),
    });
  });

  it('keeps sets apart', async () => {
    const { database } = setup();
    const shelves: MigrationSet = {
      system: 'shelves',
      migrations: [{ number: 1, name: 'shelves', statements: (schema) => [`create table ${schema}.shelves (id int)`] }],
    };
    await migrate(database, [books]);
    expect((await migrate(database, [books, shelves])).applied).toEqual([
      { system: 'shelves', number: 1, name: 'shelves' },
    ]);
  });
});
