import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { restoreBackup } from '../../src/backup/restore-backup.ts';
import { writeBackup } from '../../src/backup/write-backup.ts';
import type { MigrationSet, SqlDatabase } from '../../src/core/ports.ts';
import { migrate } from '../../src/engine/migrate.ts';
import { type BackupRig, dumpTables, everySet, openBackupRig } from './backup-rig.ts';

/** A system of tomorrow: nothing in the backup knows its name, and its values are the hard ones. */
const tomorrow: MigrationSet = {
  system: 'tomorrow',
  migrations: [
    {
      number: 1,
      name: 'odd values',
      statements: (schema) => [
        `create table ${schema}.aaa_child (id bigint generated always as identity primary key, parent smallint not null)`,
        `create table ${schema}.zzz_parent (id smallint generated always as identity primary key, name text unique)`,
        `alter table ${schema}.aaa_child add foreign key (parent) references ${schema}.zzz_parent`,
        `alter table ${schema}.zzz_parent add column favourite bigint references ${schema}.aaa_child`,
        `create table ${schema}.odd (
  id integer primary key, big bigint, text text, plain json, binary_json jsonb, at timestamptz, day date, span interval,
  number numeric, float float8, bytes bytea, list text[], numbers int[], flag boolean, ch "char",
  twice integer generated always as (id * 2) stored)`,
        `create table ${schema}.copies (id integer)`,
        `create function ${schema}.copy_odd() returns trigger language plpgsql as $f$
begin insert into ${schema}.copies values (new.id); return new; end $f$`,
        `create trigger copy after insert on ${schema}.odd for each row execute function ${schema}.copy_odd()`,
        `insert into ${schema}.zzz_parent (name) values ('of the migration')`,
      ],
    },
  ],
};

const oddRows = [
  `(1, 9223372036854775807, E'line\\nfeed \u2028 "quoted" \\\\ tab\\t', '{"b":1,  "a":1,"a":2}', '{"b":1,"a":[null]}',
    '2026-11-18 09:00:00.123456+09', '2026-02-28', '1 mon 2 days 03:04:05.678', 12345678901234567890.123456789,
    0.1, '\\x00ff', array['a', null, '{,"}', 'NULL'], array[1, null, -3], true, 'x')`,
  `(2, -9223372036854775808, '', 'null', 'null', 'infinity', '-infinity', '-00:00:01', 'NaN', 'Infinity', '', '{}', '{}', false, ' ')`,
  `(3, null, null, null, null, null, null, null, null, 'NaN', null, null, null, null, null)`,
  `(4, 0, '閂 🔒', '"text"', '"text"', '0001-01-01 00:00:00+00 BC', '9999-12-31', '0', 0, '-0', '\\x', array[['a','b'],['c','d']], null, null, null)`,
];

const sets = [...everySet, tomorrow];
let dir = '';
let rig: BackupRig;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'kannuki-backup-'));
  rig = await openBackupRig();
});
afterAll(async () => {
  await rig.close();
  rmSync(dir, { recursive: true, force: true });
});

async function fill(database: SqlDatabase): Promise<void> {
  const run = async (text: string): Promise<void> => void (await database.query({ text }));
  await migrate(database, sets);
  await run(
    `insert into kannuki.odd values ${oddRows.join(', ')}`.replace(
      'values',
      `(id, big, text, plain, binary_json, at, day,
    span, number, float, bytes, list, numbers, flag, ch) values`,
    ),
  );
  await run(`insert into kannuki.zzz_parent (name) select 'name ' || i from generate_series(1, 20) i`);
  await run(`insert into kannuki.aaa_child (parent) select 1 + i % 20 from generate_series(1, 12000) i`);
  // A circle of references.
  await run('update kannuki.zzz_parent set favourite = id * 100');
  await run(`insert into kannuki.leases (key, token, owner, expires_at) values
    ('held', 1000, 'somebody', now() + interval '1 hour'), ('free', 2000, null, now())`);
  await run(`insert into kannuki.queues (name) values ('default')`);
  await run(`insert into kannuki.changes (topic) values ('of this server only')`);
}

/** The tables whose numbers are raised by a restore have tests of their own; unlogged tables are left behind. */
function withoutRaised(dump: Readonly<Record<string, readonly string[]>>): object {
  const { leases, fences, lease_breaks, analyses, changes, ...rest } = dump;
  return { ...rest, counts: [leases?.length, fences?.length, analyses?.length] };
}

describe('a backup restored', { timeout: 300_000 }, () => {
  it('is the same to the last character: 15 to PGlite to 18', async () => {
    const chain = [15, 'pglite', 18] as const;
    let from = await rig.open(chain[0]);
    await fill(from);
    const original = withoutRaised(await dumpTables(from));
    expect(Object.keys(original).length).toBeGreaterThan(20);
    for (const [step, kind] of chain.slice(1).entries()) {
      const file = join(dir, `step-${step}.backup`);
      const written = await writeBackup(from, { file, version: '1.0.0', source: 'test' });
      expect(written.tables).toMatchObject({ aaa_child: 12_000, copies: 4, odd: 4, leases: 2 });
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const to = await rig.open(kind);
      const { rows } = await restoreBackup(to, { file, migrations: sets });
      expect(rows).toBe(written.rows);
      expect(withoutRaised(await dumpTables(to)), `${chain[step]} to ${kind}`).toEqual(original);
      expect((await dumpTables(to)).changes).toEqual([]);
      from = to;
    }
    // References are there again, ids go on where nobody has been, and the triggers are awake again.
    const { rows } = await from.query<{ id: number }>({
      text: `insert into kannuki.aaa_child (parent) values (1) returning id`,
    });
    expect(rows[0]?.id).toBeGreaterThan(112_000);
    await expect(from.query({ text: 'insert into kannuki.aaa_child (parent) values (999)' })).rejects.toThrow(
      'foreign key',
    );
    await from.query({ text: 'insert into kannuki.odd (id) values (99)' });
    expect((await dumpTables(from)).copies).toHaveLength(5);
    expect((await migrate(from, sets)).applied).toEqual([]);
  });

  it('goes through the migrations that came after it', async () => {
    const from = await rig.open(18);
    await migrate(from, everySet);
    await from.query({ text: `insert into kannuki.leases values ('a', 1, null, now())` });
    const file = join(dir, 'older.backup');
    await writeBackup(from, { file, version: '1.0.0', source: 'test' });
    const later: MigrationSet = {
      system: 'leases',
      migrations: [
        ...(everySet[0]?.migrations ?? []),
        {
          number: 99,
          name: 'a change of data',
          statements: (schema) => [
            `alter table ${schema}.leases add column note text`,
            `update ${schema}.leases set note = 'migrated ' || key`,
          ],
        },
      ],
    };
    const to = await rig.open(15);
    await restoreBackup(to, { file, migrations: [later, ...everySet.slice(1), tomorrow] });
    const dump = await dumpTables(to);
    expect(dump.leases?.[0]).toContain('migrated a');
    expect(dump.zzz_parent).toEqual(['(1,"of the migration",)']);
  });
});

describe('a restore refuses, with one sentence, and changes nothing', { timeout: 300_000 }, () => {
  let file = '';
  let target: SqlDatabase;
  const attempt = (path: string, options: object = {}): Promise<unknown> =>
    restoreBackup(target, { file: path, migrations: sets, ...options }).then(
      () => 'restored',
      (error: unknown) => error,
    );
  const variant = (name: string, change: (text: string) => string | Buffer): string => {
    const path = join(dir, name);
    const text = gunzipSync(readFileSync(file)).toString();
    const changed = change(text);
    if (changed === text) throw new Error(`${name} is no variant.`);
    writeFileSync(path, typeof changed === 'string' ? gzipSync(changed) : changed);
    return path;
  };

  beforeAll(async () => {
    const from = await rig.open(18);
    await fill(from);
    file = join(dir, 'good.backup');
    await writeBackup(from, { file, version: '1.0.0', source: 'test' });
    target = await rig.open(15);
  });

  it('a file that is damaged in any way', async () => {
    const packed = readFileSync(file);
    const flipped = Buffer.from(packed);
    const middle = Math.floor(packed.length / 2);
    flipped[middle] = (flipped[middle] ?? 0) ^ 0x10;
    const damaged = [
      variant('short', () => packed.subarray(0, packed.length - 100)),
      variant('flipped', () => flipped),
      variant('not-packed', () => Buffer.from('hello')),
      variant('empty', () => Buffer.alloc(0)),
      variant('other', () => '{"kannuki":"something"}\n'),
      variant('edited', (text) => text.replace('name 7', 'name 8')),
      variant('row-missing', (text) => text.replace('["5","6"]\n', '')),
      variant('no-end', (text) => text.replace(/\{"end".*\n$/, '')),
      variant('doubled', (text) => `${text}${text}`),
    ];
    for (const path of damaged) {
      expect(await attempt(path), path).toMatchObject({ name: 'BackupError', code: 'damaged' });
    }
    expect(await attempt(join(dir, 'none'))).toMatchObject({ code: 'file-missing' });
    expect(await dumpTables(target)).toEqual({});
  });

  it('a newer format, and tables of a newer version', async () => {
    expect(await attempt(variant('format', (text) => text.replace('"format":1', '"format":2')))).toMatchObject({
      code: 'newer',
      message: expect.stringContaining('format 2, and this version reads up to 1'),
    });
    expect(await attempt(file, { migrations: everySet })).toMatchObject({
      code: 'newer',
      message: expect.stringContaining('tomorrow 1'),
    });
  });

  it('a target that is behind in time, in use, or not empty, unless told', async () => {
    const future = join(dir, 'future.backup');
    const from = await rig.open(18);
    await migrate(from, sets);
    const ahead: SqlDatabase = {
      ...from,
      transaction: (work) =>
        from.transaction((tx) =>
          work({
            query: (statement) =>
              tx.query({ ...statement, text: statement.text.replaceAll('now()', `(now() + interval '1 hour')`) }),
          }),
        ),
    };
    await writeBackup(ahead, { file: future, version: '1.0.0', source: 'test' });
    expect(await attempt(future)).toMatchObject({
      code: 'clock-behind',
      message: expect.stringMatching(/is 3\d\d\d s behind/),
    });

    const other = rig.reopen(target);
    await other.query({ text: 'select 1' });
    expect(await attempt(file)).toMatchObject({ code: 'in-use' });
    await other.close();

    expect(await attempt(file)).toBe('restored');
    const before = await dumpTables(target);
    expect(await attempt(file)).toMatchObject({ code: 'not-empty' });
    expect(await dumpTables(target)).toEqual(before);
    expect(await attempt(file, { replace: true })).toBe('restored');
    expect(withoutRaised(await dumpTables(target))).toEqual(withoutRaised(before));
  });

  it('and a failure in the middle leaves the target as it was', async () => {
    const before = await dumpTables(target);
    const failing: SqlDatabase = {
      ...target,
      transaction: (work) =>
        target.transaction((tx) =>
          work({
            query: (statement) =>
              statement.text.includes('insert into "kannuki"."odd"')
                ? Promise.reject(new Error('the connection is gone'))
                : tx.query(statement),
          }),
        ),
    };
    await expect(restoreBackup(failing, { file, migrations: sets, replace: true })).rejects.toThrow('gone');
    expect(await dumpTables(target)).toEqual(before);
  });

  it('and a backup does not take the place of a file, nor leave half of one', async () => {
    const from = await rig.open(18);
    const where = join(dir, 'new.backup');
    const options = { file: where, version: '1.0.0', source: 'test' };
    await expect(writeBackup(from, options)).rejects.toMatchObject({ code: 'nothing-there' });
    await migrate(from, sets);
    await writeBackup(from, options);
    await expect(writeBackup(from, options)).rejects.toMatchObject({ code: 'file-exists' });
    await writeBackup(from, { ...options, overwrite: true });
    await expect(writeBackup(from, { ...options, file: join(dir, 'no', 'folder') })).rejects.toMatchObject({
      code: 'file-unusable',
    });
    expect(readdirSync(dir).filter((name) => name.includes('partial'))).toEqual([]);
  });
});
