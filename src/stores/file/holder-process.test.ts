import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { currentHolderProcess, isHolderProcessGone } from './holder-process.ts';

const [, , namespace] = currentHolderProcess().split('-');

describe.runIf(process.platform === 'linux')('isHolderProcessGone', () => {
  it('marks this process with pid, start and namespace, and knows that it lives', () => {
    expect(currentHolderProcess()).toMatch(new RegExp(`^${process.pid}-\\d+-\\d+$`));
    expect(isHolderProcessGone(currentHolderProcess())).toBe(false);
  });

  it('tells a running and a stopped process from one that has ended', async () => {
    const child = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1000)']);
    try {
      await once(child.stdout, 'data');
      const pid = child.pid ?? 0;
      const mark = markOf(pid);
      expect(isHolderProcessGone(mark)).toBe(false);
      child.kill('SIGSTOP');
      await until(() => statOf(pid)[0] === 'T');
      expect(isHolderProcessGone(mark)).toBe(false);
      child.kill('SIGKILL');
      await once(child, 'exit');
      expect(isHolderProcessGone(mark)).toBe(true);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('knows a zombie for dead: it has ended and its parent has not asked', async () => {
    // The shell starts a child and becomes `sleep`, which asks for no child's end.
    const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60']);
    try {
      const [line] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number(line.toString());
      await until(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8') === 'sleep\n');
      const mark = markOf(pid);
      expect(isHolderProcessGone(mark)).toBe(false);
      process.kill(pid, 'SIGKILL');
      await until(() => statOf(pid)[0] === 'Z');
      expect(isHolderProcessGone(mark)).toBe(true);
    } finally {
      parent.kill('SIGKILL');
    }
  });

  it('knows that a pid was given to another process', () => {
    const [pid, start] = currentHolderProcess().split('-');
    expect(isHolderProcessGone(`${pid}-${Number(start) + 1}-${namespace}`)).toBe(true);
  });

  it.each(['0', '', '12', 'x-y-z', '999999999-1-1'])('does not judge %j, of which it knows nothing', (mark) => {
    expect(isHolderProcessGone(mark)).toBe(false);
  });
});

function markOf(pid: number): string {
  return `${pid}-${statOf(pid)[19]}-${namespace}`;
}

function statOf(pid: number): readonly string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** Signals and exec take effect a little later, and nothing tells when but /proc. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1));
}
