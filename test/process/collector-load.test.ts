/**
 * The collector over HTTP at more than 2,000 sound events a second from 44 addresses, with malformed, oversized, foreign
 * and hostile batches among them: what was acknowledged is stored, once, and nothing else is. A round is a second.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SqlDatabase } from '../../src/core/ports.ts';
import { migrate } from '../../src/engine/migrate.ts';
import { createServerApp } from '../../src/server/create-server-app.ts';
import { type RunningServer, serveApp } from '../../src/server/serve-app.ts';
import { memoryStore } from '../../src/stores/memory/index.ts';
import { postgresDatabase } from '../../src/stores/postgres/index.ts';
import {
  type Collector,
  createCollector,
  createReporter,
  createRollouts,
  telemetryMigrations,
} from '../../src/systems/telemetry/index.ts';
import { type PostgresServer, startPostgres } from '../servers/postgres-server.ts';
import { hostileStrings } from '../web/hostile-strings.ts';
import { faultRounds, reportFault } from './fault-rounds.ts';

const seconds = faultRounds('TELEMETRY', 2);
const sources = 44;
const eventsPerBatch = 25;
const batchesPerSource = 2;
/**
 * The connection ended first: the server closes those that were idle, and those whose body it does not want to read.
 */
const unanswered = 0;

describe('the collector under load', () => {
  let postgres: PostgresServer;
  let database: SqlDatabase;
  let dir: string;
  const agent = new Agent({ keepAlive: true, maxSockets: 200 });

  beforeAll(async () => {
    postgres = await startPostgres({ major: 18 });
    database = postgresDatabase({ connectionString: postgres.url });
    await migrate(database, [telemetryMigrations]);
    dir = mkdtempSync(join(tmpdir(), 'kannuki-load-'));
  });
  afterAll(async () => {
    agent.destroy();
    await database?.close();
    await postgres?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  /** A server of its own on this database; `acknowledged` is what its clients were told is safe. */
  const open = async (used: SqlDatabase) => {
    const folder = join(dir, String(Date.now()));
    const collector: Collector = createCollector({ database: used, dir: folder });
    const rollouts = createRollouts({ database: used });
    const reporter = createReporter({ database: used, rollouts });
    const app = createServerApp({
      store: memoryStore(),
      tokens: [],
      systems: { telemetry: { collector, rollouts, reporter } },
    });
    const server = await serveApp({ app, port: 0 });
    const acknowledged = new Set<string>();
    const statuses = new Map<number, number>();
    const post = async (source: number, body: string, headers: Record<string, string> = {}): Promise<Answer> => {
      const answer = await send(server, agent, source, body, headers);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      return answer;
    };
    const postBatch = async (source: number, batch: Batch): Promise<void> => {
      const { status, text } = await post(source, JSON.stringify(batch));
      // It may be stored or not; a page sends it again under its id.
      if (status === unanswered) return postBatch(source, batch);
      if (status !== 200) return;
      const { accepted, refused } = JSON.parse(text) as { accepted: number; refused: { number: number }[] };
      const wrong = new Set(refused.map(({ number }) => number));
      const taken = batch.events.flatMap((_, number) => (wrong.has(number) ? [] : [`${batch.id} ${number}`]));
      expect(taken).toHaveLength(accepted);
      for (const one of taken) acknowledged.add(one);
    };
    return {
      acknowledged,
      statuses,
      folder,
      post,
      postBatch,
      async close() {
        await server.close();
        await collector.close();
      },
    };
  };

  /** What differs between what was acknowledged and what is there; empty: nothing. */
  const differences = async (acknowledged: ReadonlySet<string>): Promise<readonly string[]> => {
    const { rows } = await database.query<{ batch: string; number: number }>({
      text: 'select batch, number from kannuki.telemetry_events',
    });
    const stored = rows.map(({ batch, number }) => `${batch} ${number}`);
    const known = new Set(stored);
    return [
      ...[...acknowledged].filter((one) => !known.has(one)).map((one) => `lost: ${one}`),
      ...stored.filter((one) => !acknowledged.has(one)).map((one) => `never acknowledged: ${one}`),
      ...(stored.length === known.size ? [] : ['stored twice']),
    ];
  };

  it('keeps what it acknowledged and takes nothing else', { timeout: (seconds + 60) * 1000 }, async () => {
    const { acknowledged, statuses, folder, post, postBatch, close } = await open(database);
    const startMs = performance.now();
    for (let second = 0; second < seconds; second++) {
      const sends: Promise<unknown>[] = [];
      for (let source = 0; source < sources; source++) {
        for (let i = 0; i < batchesPerSource; i++) {
          const batch = makeBatch(`s${second}-${source}-${i}`, source);
          sends.push(postBatch(source, batch));
          // A reply that was lost: the same batch again, at the same time.
          if (source === 0) sends.push(postBatch(source + sources, batch));
        }
      }
      for (const [i, body] of hostileBodies(second).entries()) sends.push(post(200 + (i % 40), body));
      const foreign = JSON.stringify(makeBatch(`foreign-${second}`, 1));
      sends.push(post(250, foreign, { origin: 'https://elsewhere.example' }));
      await Promise.all(sends);
      // The rate is what is tried: the next second's load begins a second after this one's.
      await sleep(Math.max(0, (second + 1) * 1000 - (performance.now() - startMs)));
    }
    const tookSeconds = (performance.now() - startMs) / 1000;
    await close();
    expect(await differences(acknowledged)).toEqual([]);
    expect(statuses.get(200)).toBeGreaterThanOrEqual(seconds * sources * batchesPerSource);
    expect([...statuses.keys()].filter((status) => ![unanswered, 200, 400, 403, 413].includes(status))).toEqual([]);
    const lines = readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').trim().split('\n'));
    const written = new Set(lines.map((line) => JSON.parse(line)).map(({ batch, number }) => `${batch} ${number}`));
    expect(written).toEqual(acknowledged);
    for (const canary of ['hacked', 'once upon a time']) expect(lines.join('\n')).not.toContain(canary);
    reportFault({
      experiment: 'collector under load',
      seconds,
      events: acknowledged.size,
      perSecond: Math.round(acknowledged.size / tookSeconds),
      statuses: Object.fromEntries(statuses),
    });
  });

  it('would see a collector that acknowledges too soon, and one that takes what it should not', async () => {
    await database.query({ text: 'truncate kannuki.telemetry_events' });
    let writes = 0;
    // The second write is dropped, as if it were acknowledged before it is safe.
    const forgetful: SqlDatabase = {
      ...database,
      schema: database.schema,
      query: (statement) =>
        /insert into/.test(statement.text) && ++writes === 2
          ? Promise.resolve({ rows: [], rowCount: 0 })
          : database.query(statement),
    };
    const { acknowledged, postBatch, close } = await open(forgetful);
    for (let i = 0; i < 3; i++) await postBatch(1, makeBatch(`planted-${i}`, 1));
    await close();
    expect((await differences(acknowledged)).some((line) => line.startsWith('lost: batch-planted-1'))).toBe(true);
    const fewer = new Set([...acknowledged].filter((one) => !one.startsWith('batch-planted-0')));
    expect((await differences(fewer)).some((line) => line.startsWith('never acknowledged: batch-planted-0'))).toBe(
      true,
    );
  });
});

interface Batch {
  readonly id: string;
  readonly session: string;
  readonly phase: string;
  readonly sentAtMs: number;
  readonly events: readonly object[];
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** From an address of its own: all of 127.0.0.0/8 is this machine. */
function send(
  server: RunningServer,
  agent: Agent,
  source: number,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request(`${server.url}/api/v1/telemetry`, {
      method: 'POST',
      agent,
      localAddress: `127.0.1.${(source % 250) + 1}`,
      headers: { 'content-type': 'application/json', origin: server.url, ...headers },
    });
    call.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    call.on('error', (error: NodeJS.ErrnoException) =>
      ['ECONNRESET', 'EPIPE'].includes(error.code ?? '') ? resolve({ status: unanswered, text: '' }) : reject(error),
    );
    call.end(body);
  });
}

/** Mostly sound events, one wrong one in every fifth batch. */
function makeBatch(id: string, source: number): Batch {
  const kinds: readonly object[] = [
    { name: 'autosave.lock.attempt', operation: 'acquire', strategy: 'web-lock' },
    { name: 'autosave.lock.acquired', strategy: 'web-lock', durationMs: 12 },
    { name: 'autosave.lock.renewed', strategy: 'file-lock' },
    { name: 'autosave.lock.error', operation: 'renew', code: 'renew-failed' },
    { name: 'autosave.lock.readonly', reason: 'stolen' },
  ];
  const events = Array.from({ length: eventsPerBatch }, (_, i) => ({ ...kinds[i % kinds.length], atMs: i }));
  const wrong = { name: 'autosave.lock.readonly', atMs: 1, reason: 'once upon a time' };
  if (source % 5 === 0) events[7] = wrong;
  return { id: `batch-${id}`, session: `session-${id}-${source}`, phase: 'B-0', sentAtMs: eventsPerBatch, events };
}

/** What must not be taken, whole. */
function hostileBodies(second: number): readonly string[] {
  const sound = makeBatch(`hostile-${second}`, 1);
  // In brackets, since some of them would pass for a plain name.
  const string = (i: number): string => `<${hostileStrings[(second * 7 + i) % hostileStrings.length]}>`;
  return [
    '',
    '{"id"',
    'null',
    '[]',
    '"text"',
    JSON.stringify({ ...sound, events: [] }),
    JSON.stringify({ ...sound, events: Array.from({ length: 101 }, () => sound.events[0]) }),
    JSON.stringify({ ...sound, id: '../../etc/passwd' }),
    JSON.stringify({ ...sound, phase: 'Z-9' }),
    JSON.stringify({ ...sound, sentAtMs: 'soon' }),
    JSON.stringify({ ...sound, document: 'once upon a time' }),
    JSON.stringify({ ...sound, id: string(1) }),
    JSON.stringify({ ...sound, session: string(2) }),
    JSON.stringify({ ...sound, session: 'x'.repeat(10_000) }),
    JSON.stringify({ ...sound, [string(3)]: 1 }),
    `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
    // Too large to be read at all.
    JSON.stringify({ ...sound, padding: 'x'.repeat(1_200_000) }),
  ];
}
