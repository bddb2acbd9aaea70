/** PGlite has no directory lock and no fsync of its own: ours excludes a second process, and kill -9 loses nothing. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { LeaseError } from '../../src/core/errors.ts';
import { pgliteDatabase } from '../../src/stores/pglite/index.ts';
import { faultRounds, reportFault } from './fault-rounds.ts';

const script = fileURLToPath(new URL('pglite-writer.mjs', import.meta.url));
const rounds = faultRounds('PGLITE', 2);

/** A process that inserts rows and tells which were acknowledged, until it is killed. */
async function writeUntilKilled(dir: string, round: number, inserts: number): Promise<number> {
  const child = fork(script, [dir, String(round)], { execArgv: [] });
  let acknowledged = 0;
  const ended = once(child, 'exit');
  const enough = new Promise<void>((resolve) => {
    child.on('message', (message: { acknowledged: number }) => {
      acknowledged = message.acknowledged;
      if (acknowledged >= inserts) resolve();
    });
  });
  const first = await Promise.race([enough, ended]);
  if (first !== undefined) throw new Error('The writer ended by itself.');
  child.kill('SIGKILL');
  await ended;
  return acknowledged;
}

async function startHolder(dir: string): Promise<ChildProcess> {
  const child = fork(script, [dir, 'hold'], { execArgv: [] });
  await once(child, 'message');
  return child;
}

describe('PGlite on a directory', () => {
  it('a second process fails at once and names the first one’s pid', { timeout: 60_000 }, async () => {
    const dir = await mkdtemp(join(tmpdir(), 'kannuki-pglite-'));
    const holder = await startHolder(dir);
    try {
      const error = await Promise.resolve(pgliteDatabase({ dir }))
        .then((database) => database.query({ text: 'select 1' }))
        .then(
          () => undefined,
          (reason: unknown) => reason,
        );
      expect(error).toBeInstanceOf(LeaseError);
      expect((error as LeaseError).code).toBe('in-use');
      expect((error as LeaseError).message).toContain(String(holder.pid));
    } finally {
      const ended = once(holder, 'exit');
      holder.kill('SIGKILL');
      await ended;
      await rm(dir, { recursive: true, force: true });
    }
  });

  it(`${rounds} × kill -9: nothing acknowledged is lost`, { timeout: 600_000 }, async () => {
    const dir = await mkdtemp(join(tmpdir(), 'kannuki-pglite-'));
    try {
      let expected = 0;
      for (let round = 0; round < rounds; round++)
        expected += await writeUntilKilled(dir, round, 20 + ((round * 37) % 60));
      const database = await pgliteDatabase({ dir });
      const { rows } = await database.query<{ found: number }>({ text: 'select count(*)::int as found from written' });
      await database.close();
      reportFault({ experiment: 'pglite-kill-9', rounds, acknowledged: expected, found: rows[0]?.found });
      expect(rows[0]?.found).toBeGreaterThanOrEqual(expected);
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });
});
