import { describe, expect, it } from 'vitest';
import { platform } from '#platform';
import type { CliContext } from './cli-context.ts';
import { exitCodeOf } from './exit-codes.ts';
import { messagesFor } from './messages.ts';
import { runProgram } from './program.ts';
import { reportError } from './report-error.ts';

/** What main.ts does, with the output caught. */
async function run(
  argv: readonly string[],
  env: Record<string, string> = {},
): Promise<{ code: number; out: string; err: string }> {
  const lines = { out: '', err: '' };
  const context: CliContext = {
    env,
    messages: messagesFor(env),
    platform,
    colour: false,
    print(line) {
      lines.out += `${line}\n`;
    },
    say(line) {
      lines.err += `${line}\n`;
    },
  };
  try {
    return { code: await runProgram(argv, '1.2.3', context), ...lines };
  } catch (error) {
    reportError(error, context, argv);
    return { code: exitCodeOf(error), ...lines };
  }
}

describe('bad input gets one sentence and code 2', () => {
  const cases: readonly [string, readonly string[], string][] = [
    ['an empty name', ['--lock', ''], 'kannuki: A lock name must not be empty.\n'],
    ['a TTL of 0', ['--lock', 'a', '--ttl', '0s'], 'kannuki: --ttl: "0s" is out of bounds; allowed is 50ms to 1d.\n'],
    [
      'a negative TTL',
      ['--lock', 'a', '--ttl', '-5s'],
      'kannuki: --ttl: "-5s" is not a duration; write for example 500ms, 30s, 5m or 1h.\n',
    ],
    [
      'a TTL that is no number',
      ['--lock', 'a', '--ttl', 'NaN'],
      'kannuki: --ttl: "NaN" is not a duration; write for example 500ms, 30s, 5m or 1h.\n',
    ],
    [
      'a TTL of a year',
      ['--lock', 'a', '--ttl', '365d'],
      'kannuki: --ttl: "365d" is out of bounds; allowed is 50ms to 1d.\n',
    ],
    ['no permits', ['--lock', 'a', '--permits', '0'], 'kannuki: --permits: "0" is not a whole number of 1 or more.\n'],
    [
      'shared and counted',
      ['--lock', 'a', '--permits', '2', '--shared'],
      "kannuki: option '--shared' cannot be used with option '--permits <n>'\n",
    ],
    [
      'a bad store',
      ['--lock', 'a', '--store', 'ftp://x'],
      'kannuki: --store: "ftp://x" is not understood; write file:DIR, postgres://…, redis://…, firestore://PROJECT/COLLECTION, http://… or memory.\n',
    ],
    ['no lock', [], "kannuki: required option '--lock <name>' not specified\n"],
  ];
  it.each(cases)('%s', async (_, args, sentence) => {
    expect(await run(['exec', ...args, '--', 'true'])).toEqual({ code: 2, out: '', err: sentence });
  });

  it('no command to run, or an unknown one of ours', async () => {
    expect(await run(['exec', '--lock', 'a'])).toEqual({
      code: 2,
      out: '',
      err: "kannuki: missing required argument 'command'\n",
    });
    expect((await run(['exce'])).err).toBe("kannuki: unknown command 'exce'\n(Did you mean exec?)\n");
    expect((await run([])).code).toBe(2);
  });

  it('a port that is none, a log level that is none, a break without a reason', async () => {
    expect((await run(['serve', '--port', '99999'])).err).toBe(
      'kannuki: --port: "99999" is not a port; allowed is 0 to 65535.\n',
    );
    expect((await run(['serve', '--log-level', 'loud'])).err).toContain(
      'Allowed choices are debug, info, warn, error, silent',
    );
    expect((await run(['leases', 'break', 'a'])).err).toBe(
      "kannuki: required option '--reason <text>' not specified\n",
    );
  });

  it('in Japanese where the locale says so', async () => {
    const { code, err } = await run(['exec', '--lock', 'a', '--ttl', '5', '--', 'true'], { LANG: 'ja_JP.UTF-8' });
    expect(code).toBe(2);
    expect(err).toContain('は時間として読めません');
  });
});

describe('help', () => {
  /** Found in the help itself, so that no command is left out. */
  async function listCommands(path: readonly string[] = []): Promise<readonly (readonly string[])[]> {
    const { out } = await run([...path, '--help']);
    const [, commands = ''] = out.split('\nCommands:\n');
    const names = [...(commands.split('\n\n')[0] ?? '').matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(
      ([, name]) => name ?? '',
    );
    const below = await Promise.all(
      names.filter((name) => name !== 'help').map((name) => listCommands([...path, name])),
    );
    return [path, ...below.flat()];
  }

  it('every command has examples, and prints JSON when asked', async () => {
    const commands = await listCommands();
    expect(commands.length).toBeGreaterThan(40);
    const groups = new Set(commands.map((path) => path.slice(0, -1).join(' ')));
    // These pass on what another program prints, or print a script.
    const others = ['exec', 'bench', 'completion'];
    for (const path of commands) {
      const { code, out, err } = await run([...path, '--help']);
      expect({ code, err }, path.join(' ')).toEqual({ code: 0, err: '' });
      expect(out, path.join(' ')).toMatch(/Examples:\n {2}\$ \S/);
      const isLeaf = !groups.has(path.join(' ')) && path.length > 0;
      if (isLeaf && !others.includes(path[0] ?? '')) expect(out, path.join(' ')).toContain('--json');
    }
  });

  it('tells the version', async () => {
    expect(await run(['--version'])).toEqual({ code: 0, out: '1.2.3\n', err: '' });
  });
});

describe('leases', () => {
  it('lists and breaks in the store that was named', async () => {
    const env = { KANNUKI_STORE: 'memory' };
    expect(await run(['leases', '--json'], env)).toEqual({ code: 0, out: '[]\n', err: '' });
    expect(await run(['leases'], env)).toEqual({ code: 0, out: '', err: 'no leases are held\n' });
    const missing = { code: 3, out: '', err: 'kannuki: "a" is not held by anybody.\n' };
    expect(await run(['leases', 'break', 'a', '--reason', 'x'], env)).toEqual(missing);
  });

  it('migrate has nothing to do where there are no tables', async () => {
    const { code, err } = await run(['migrate', '--store', 'memory']);
    expect({ code, err }).toEqual({ code: 0, err: 'the store memory has no tables, so there is nothing to migrate\n' });
  });
});
