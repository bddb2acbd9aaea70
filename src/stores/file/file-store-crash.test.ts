import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { platform } from '#platform';
import type { AcquireReply, LeaseStore } from '../../core/ports.ts';
import { fileStore } from './file-store.ts';
import { currentHolderProcess } from './holder-process.ts';
import { toKeyName } from './key-name.ts';
import { heldName, type Term } from './lease-name.ts';

const dirs: string[] = [];

/** A machine whose clocks stand still until a test moves them. Two stores are two processes on it. */
function setup({ releaseOnCrash = true }: { releaseOnCrash?: boolean } = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'file-store-'));
  dirs.push(dir);
  const machine = { bootUs: 5_000_000_000, wallMs: 1_704_067_200_000, bootId: 'aaaaaaaa' };
  const open = (): LeaseStore =>
    fileStore({
      dir,
      releaseOnCrash,
      clock: { ...platform.clock, wallMs: () => machine.wallMs },
      boot: { bootId: machine.bootId, nowUs: () => machine.bootUs },
    });
  const pass = (ms: number): void => {
    machine.bootUs += ms * 1000;
    machine.wallMs += ms;
  };
  const folderOf = (key: string): string => join(dir, `${toKeyName(key)}.lease`);
  return { dir, machine, open, pass, folderOf, a: open(), b: open() };
}

afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
});

let attempts = 0;
const newOwner = (): string => `test.${++attempts}@host:1`;

function acquire(store: LeaseStore, key: string, owner: string): Promise<AcquireReply> {
  return store.acquire({ key, owner, ttlMs: 1_000, line: false });
}

async function granted(store: LeaseStore, key: string, owner: string) {
  const reply = await acquire(store, key, owner);
  if (!reply.granted) throw new Error(`${owner} was refused by ${reply.holder}`);
  return reply;
}

describe('a holder that is gone', () => {
  it('loses its lease when the machine was started anew', async () => {
    const { a, open, machine } = setup();
    const first = await granted(a, 'k', newOwner());
    machine.bootId = 'bbbbbbbb';
    machine.bootUs = 1_000;
    expect((await granted(open(), 'k', newOwner())).token).toBeGreaterThan(first.lastToken);
  });

  /** A lease as another process would hold it. */
  function hold(test: ReturnType<typeof setup>, key: string, process: string): Term {
    const { machine } = test;
    const endUs = machine.bootUs + 1_000_000;
    const term = { owner: 'other.1@x', token: 7, endUs, ttlMs: 1_000, boot: machine.bootId, process };
    mkdirSync(test.folderOf(key));
    writeFileSync(join(test.folderOf(key), heldName(term)), key);
    return term;
  }

  describe.runIf(process.platform === 'linux')('by its process', () => {
    const [, , namespace] = currentHolderProcess().split('-');

    it('loses its lease at once; a stopped one keeps it to the end', async () => {
      const test = setup();
      const child = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1000)']);
      try {
        await once(child.stdout, 'data');
        const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
        const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
        for (const key of ['alive', 'stopped', 'dead']) hold(test, key, `${child.pid}-${start}-${namespace}`);
        expect(await acquire(test.a, 'alive', newOwner())).toMatchObject({ granted: false, holder: 'other.1@x' });
        child.kill('SIGSTOP');
        expect(await acquire(test.a, 'stopped', newOwner())).toMatchObject({ granted: false });
        child.kill('SIGKILL');
        await once(child, 'exit');
        await granted(test.a, 'dead', newOwner());
        expect(await test.a.list({ limit: 10 })).toMatchObject([{ key: 'dead' }]);
      } finally {
        child.kill('SIGKILL');
      }
    });

    it('keeps it to the end where the option says so, or in another namespace', async () => {
      const strict = setup({ releaseOnCrash: false });
      hold(strict, 'k', `999999999-1-${namespace}`);
      expect(await acquire(strict.a, 'k', newOwner())).toMatchObject({ granted: false, remainingMs: 1_000 });
      await granted(strict.a, 'mine', newOwner());
      const [own] = readdirSync(strict.folderOf('mine'));
      expect(own, 'others cannot judge its holder by its process either').not.toContain(currentHolderProcess());
      const elsewhere = setup();
      hold(elsewhere, 'k', '999999999-1-1');
      expect(await acquire(elsewhere.a, 'k', newOwner())).toMatchObject({ granted: false });
      elsewhere.pass(1_000);
      await granted(elsewhere.a, 'k', newOwner());
    });
  });

  it('keeps it to the end where the system does not tell of processes', async () => {
    const test = setup();
    hold(test, 'k', '0');
    expect(await acquire(test.a, 'k', newOwner())).toMatchObject({ granted: false });
    test.pass(1_000);
    await granted(test.a, 'k', newOwner());
  });
});
