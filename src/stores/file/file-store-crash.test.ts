import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acquire, granted, newOwner, stillMachine } from '../../../test/stores/still-machine.ts';
import { currentHolderProcess } from './holder-process.ts';
import { heldName, type Term } from './lease-name.ts';

describe('a holder that is gone', () => {
  it('loses its lease when the machine was started anew', async () => {
    const { a, open, machine } = stillMachine();
    const first = await granted(a, 'k', newOwner());
    machine.bootId = 'bbbbbbbb';
    machine.bootUs = 1_000;
    expect((await granted(open(), 'k', newOwner())).token).toBeGreaterThan(first.lastToken);
  });

  /** A lease as another process would hold it. */
  function hold(test: ReturnType<typeof stillMachine>, key: string, process: string): Term {
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
      const test = stillMachine();
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
      const strict = stillMachine({ releaseOnCrash: false });
      hold(strict, 'k', `999999999-1-${namespace}`);
      expect(await acquire(strict.a, 'k', newOwner())).toMatchObject({ granted: false, remainingMs: 1_000 });
      await granted(strict.a, 'mine', newOwner());
      const [own] = readdirSync(strict.folderOf('mine'));
      expect(own, 'others cannot judge its holder by its process either').not.toContain(currentHolderProcess());
      const elsewhere = stillMachine();
      hold(elsewhere, 'k', '999999999-1-1');
      expect(await acquire(elsewhere.a, 'k', newOwner())).toMatchObject({ granted: false });
      elsewhere.pass(1_000);
      await granted(elsewhere.a, 'k', newOwner());
    });
  });

  it('keeps it to the end where the system does not tell of processes', async () => {
    const test = stillMachine();
    hold(test, 'k', '0');
    expect(await acquire(test.a, 'k', newOwner())).toMatchObject({ granted: false });
    test.pass(1_000);
    await granted(test.a, 'k', newOwner());
  });
});
