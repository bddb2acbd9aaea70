/**
 * Two servers and three workers (one in the short form) on one PostgreSQL. The leading server is killed with -9: work goes on within ten
 * seconds, and a client of its change stream goes on at the other server without a gap. The shell script of the README
 * runs as it is printed. Many clients of one stream cost little.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChangeEvent, type Client, createClient } from '../../src/client/index.ts';
import { type PostgresServer, startPostgres } from '../servers/postgres-server.ts';
import { faultRounds, reportFault } from './fault-rounds.ts';
import { createServersFleet, type FleetServer, type ServersFleet } from './servers-fleet.ts';

const rounds = faultRounds('SERVERS', 1);
const streams = rounds > 1 ? 1_000 : 50;

let postgres: PostgresServer;
let fleet: ServersFleet;
let servers: FleetServer[];

const clientOf = (...urls: readonly string[]): Client => createClient({ url: urls, token: fleet.token });

beforeAll(async () => {
  postgres = await startPostgres({ major: 18, settings: { max_connections: '200' } });
  fleet = createServersFleet(postgres.url);
  // The first makes the tables.
  servers = [await fleet.startServer()];
  const workers = Array.from({ length: rounds > 1 ? 3 : 1 }, () => fleet.startWorker());
  servers.push(await fleet.startServer());
  await Promise.all(workers);
  const admin = clientOf(servers[0]?.url ?? '');
  const target = { kind: 'command' as const, command: ['true'] };
  await admin.call('PUT /api/v1/jobs/:name', { params: { name: 'free' }, body: { target } });
  // Only a leader gives these out.
  await admin.call('PUT /api/v1/jobs/:name', { params: { name: 'led' }, body: { target, concurrency: 'forbid' } });
}, 120_000);
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  await postgres?.stop();
});

/** The server that leads; a worker that does is asked to let another. */
async function leadingServer(): Promise<FleetServer> {
  for (const untilMs = Date.now() + 90_000; Date.now() < untilMs; ) {
    const admin = clientOf(...servers.map(({ url }) => url));
    const leader = (await admin.workers.list()).find(({ leading, state }) => leading && state === 'ACTIVE');
    const found = servers.find(({ pid }) => leader?.name.endsWith(`:${pid}`));
    if (found) return found;
    if (leader) await admin.call('POST /api/v1/leader/demote', { body: {} });
    // Nobody tells who leads; it is asked again.
    await sleep(500);
  }
  throw new Error('no server came to lead');
}

async function untilSucceeded(client: Client, runId: number): Promise<void> {
  for (;;) {
    const { run } = await client.runs.get(runId);
    if (run.state === 'SUCCEEDED') return;
    if (run.finishedAtMs !== null) throw new Error(`run ${runId} ended ${run.state}: ${run.error}`);
    await sleep(50);
  }
}

describe('two servers and workers', () => {
  it('go on when the leading server is killed, and so does a stream', { timeout: 120_000 * rounds }, async () => {
    const tookMs: number[] = [];
    let changes = 0;
    for (let round = 0; round < rounds; round++) {
      const leader = await leadingServer();
      const other = servers.find((server) => server !== leader);
      if (!other) throw new Error('no other server');
      const client = clientOf(other.url);
      const stop = new AbortController();
      const heard: ChangeEvent[] = [];
      let onNews = (): void => {};
      const following = (async () => {
        for await (const event of clientOf(leader.url, other.url).changes({ signal: stop.signal })) {
          heard.push(event);
          onNews();
        }
      })();
      const until = async (done: () => boolean): Promise<void> => {
        while (!done()) {
          await new Promise<void>((resolve) => {
            onNews = resolve;
          });
        }
      };
      const knows = (id: number): boolean =>
        heard.some((event) => event.kind === 'change' && event.topic === 'runs' && event.id === `${id}`);
      await until(() => heard.some(({ kind }) => kind === 'reset'));
      // A watch that has just begun resets once more when everything under way has ended; then it is quiet.
      const warmUp = await client.jobs.enqueue('free');
      await until(() => knows(warmUp.runId));
      await untilSucceeded(client, warmUp.runId);

      const made: number[] = [];
      let making = true;
      const maker = (async () => {
        while (making) {
          made.push((await client.jobs.enqueue('free')).runId);
          await sleep(20);
        }
      })();
      await until(() => made.length > 5 && knows(made[5] ?? 0));
      const resets = heard.filter(({ kind }) => kind === 'reset').length;
      const killedAtMs = Date.now();
      await leader.kill();
      const { runId } = await client.jobs.enqueue('led');
      await untilSucceeded(client, runId);
      tookMs.push(Date.now() - killedAtMs);
      making = false;
      await maker;
      await until(() => made.every(knows) && knows(runId));
      expect(heard.filter(({ kind }) => kind === 'reset').length).toBe(resets);
      changes += heard.length;
      stop.abort();
      await following;
      servers = [other, await fleet.startServer()];
    }
    reportFault({ experiment: 'servers', rounds, tookMs, changes });
    // Ten seconds are promised; in the short form the machine may be busy.
    expect(Math.max(...tookMs)).toBeLessThan(rounds > 1 ? 10_000 : 40_000);
  });

  it(`${streams} clients of the stream of one server cost little, and end when it stops`, {
    timeout: 120_000,
  }, async () => {
    const [server, other] = servers as [FleetServer, FleetServer];
    const beforeMb = server.memoryMb();
    const open = async (): Promise<IncomingMessage> => {
      const request = get(`${server.url}/api/v1/stream`, {
        headers: { authorization: `Bearer ${fleet.token}` },
        agent: false,
      });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      expect(response.statusCode).toBe(200);
      return response;
    };
    const clients: IncomingMessage[] = [];
    while (clients.length < streams) clients.push(...(await Promise.all(Array.from({ length: 50 }, open))));
    const { runId } = await clientOf(other.url).jobs.enqueue('free');
    const all = clients.map(
      (client) =>
        new Promise<void>((resolve) => {
          let text = '';
          client.on('data', (chunk) => {
            text += String(chunk);
            if (text.includes(`{"topic":"runs","id":"${runId}"}`)) resolve();
          });
        }),
    );
    await Promise.all(all);
    const afterMb = server.memoryMb();
    reportFault({ experiment: 'streams', streams, beforeMb: Math.round(beforeMb), afterMb: Math.round(afterMb) });
    expect(afterMb).toBeLessThan(300);
    const ends = clients.map((client) => once(client, 'end'));
    expect(await server.stop()).toBe(0);
    await Promise.all(ends);
    servers = [other];
  });

  it('the shell script of the README locks, renews, waits and unlocks', { timeout: 60_000 }, async () => {
    const readme = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8');
    const [, script = ''] = /```sh\n(#!\/bin\/sh\n# locked\.sh[\s\S]*?)```/.exec(readme) ?? [];
    const dir = mkdtempSync(join(tmpdir(), 'kannuki-curl-'));
    const url = servers[0]?.url ?? '';
    const client = clientOf(url);
    const write = (name: string, text: string): void => {
      writeFileSync(join(dir, name), text);
      chmodSync(join(dir, name), 0o755);
    };
    write('locked.sh', script);
    // The script as it is printed, on a faster clock: it renews every half second.
    write('sleep', '#!/bin/sh\nexec /bin/sleep "$(awk "BEGIN { print $1 / 10 }")"\n');
    // Two at once would find each other's folder; each stays for longer than one renewal.
    write('work.sh', `#!/bin/sh\nmkdir inside || exit 9\necho "$KANNUKI_TOKEN" >>tokens\n/bin/sleep 1\nrmdir inside\n`);
    const env = {
      ...process.env,
      PATH: `${dir}:${process.env.PATH}`,
      KANNUKI_URL: url,
      KANNUKI_API_TOKEN: fleet.token,
    };
    const run = (...args: readonly string[]) => promisify(execFile)('sh', ['./locked.sh', ...args], { cwd: dir, env });
    try {
      let renewed = 0;
      let watching = true;
      const watch = (async () => {
        for (let last = 0; watching; ) {
          const [held] = await client.leases.list({ prefix: 'curl' });
          if (held && held.remainingMs > last) renewed += 1;
          last = held?.remainingMs ?? 0;
          await sleep(50);
        }
      })();
      await Promise.all([run('curl', './work.sh'), run('curl', './work.sh'), run('curl', './work.sh')]);
      watching = false;
      await watch;
      const tokens = readFileSync(join(dir, 'tokens'), 'utf8').trim().split('\n').map(Number);
      expect(tokens).toHaveLength(3);
      expect(tokens).toEqual([...tokens].sort((a, b) => a - b));
      // Three grants, and at least one renewal of each.
      expect(renewed).toBeGreaterThanOrEqual(6);
      expect(await client.leases.list({ prefix: 'curl' })).toEqual([]);
      // The command's own exit code is the script's.
      await expect(run('curl', 'sh', '-c', 'exit 7')).rejects.toMatchObject({ code: 7 });
      // A lease that is broken ends the command.
      const long = run('curl', '/bin/sleep', '50');
      await expect.poll(() => client.leases.list({ prefix: 'curl' }), { timeout: 60_000 }).toHaveLength(1);
      await client.call('POST /api/v1/leases/break', { body: { key: 'curl', reason: 'a test' } });
      await expect(long).rejects.toMatchObject({ code: 143 });
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
