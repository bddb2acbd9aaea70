/**
 * Figures for Prometheus. What happens here is counted here; what the database knows is read when somebody scrapes, at
 * most once in five seconds. Labels are routes of the table, states and outcomes: their number does not grow with use.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Clock, Logger, SqlDatabase } from '../../core/ports.ts';
import { jobGaugesStatement } from './sql/job-gauges-statement.ts';
import { leaseGaugesStatement } from './sql/lease-gauges-statement.ts';
import { webhookGaugesStatement } from './sql/webhook-gauges-statement.ts';

export interface MetricsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whose leases, jobs and webhooks are counted. @default none are */
  readonly database?: SqlDatabase | undefined;
  readonly has?: { readonly jobs: boolean; readonly webhooks: boolean };
  /** Requests and streams that wait. */
  readonly waits: () => number;
}

export interface AnsweredRequest {
  readonly method: string;
  /** A path of the table of routes; undefined: a page, or nothing at all. */
  readonly route: string | undefined;
  readonly status: number;
  readonly seconds: number;
}

export interface Metrics {
  countRequest(request: AnsweredRequest): void;
  countTelemetry(outcome: 'accepted' | 'limited' | 'malformed' | 'refused', events: number): void;
  /** In the text format of Prometheus. */
  text(): Promise<string>;
  readonly contentType: string;
}

const keptMs = 5_000;
const methods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];
const gauges: Readonly<Record<string, { readonly help: string; readonly label?: string }>> = {
  leases_held: { help: 'Leases in force.' },
  leases_waiting: { help: 'Waiters in the lines of leases.' },
  job_runs: { help: 'Runs that have not ended.', label: 'state' },
  job_queue_age_seconds: { help: 'How long the oldest run that is due has waited for a worker.' },
  job_workers: { help: 'Workers heard of within a minute.', label: 'state' },
  job_worker_load: { help: 'Runs that those workers have.' },
  job_leader_epoch: { help: 'Epoch of the leader; it only rises.' },
  webhooks_waiting: { help: 'Payment events that were stored and not yet worked on.' },
};

export function createMetrics(options: MetricsOptions): Metrics {
  const { clock, logger, database, has } = options;
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'kannuki_http_requests_total',
    help: 'Requests that were answered.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'kannuki_http_request_duration_seconds',
    help: 'From the arrival of a request to its answer; a stream is answered when it opens.',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    registers,
  });
  const telemetry = new Counter({
    name: 'kannuki_telemetry_events_total',
    help: 'Events that pages sent, by what became of them.',
    labelNames: ['outcome'],
    registers,
  });
  new Gauge({
    name: 'kannuki_http_waiting',
    help: 'Requests that wait for a lease, and open streams.',
    registers,
    collect() {
      this.set(options.waits());
    },
  });
  const up = new Gauge({ name: 'kannuki_database_up', help: '1: the last reading succeeded.', registers });
  const read = database && databaseReader(database, has);
  const known = new Map(
    read
      ? Object.entries(gauges).map(([name, { help, label }]) => {
          const labelNames = label === undefined ? [] : [label];
          return [name, new Gauge({ name: `kannuki_${name}`, help, labelNames, registers })] as const;
        })
      : [],
  );

  const refresh = async (): Promise<void> => {
    if (!read) return;
    try {
      const rows = await read();
      for (const gauge of known.values()) gauge.reset();
      for (const { name, label, value } of rows) {
        const labelName = gauges[name]?.label;
        if (labelName === undefined || label === null) known.get(name)?.set(value);
        else known.get(name)?.set({ [labelName]: label }, value);
      }
      up.set(1);
    } catch (cause) {
      // A scrape must not fail because of the very thing it should show.
      up.set(0);
      logger.warn('metrics could not be read', { cause });
    }
  };
  let readAtMs = Number.NEGATIVE_INFINITY;
  let watchesProcess = false;
  let reading: Promise<void> = Promise.resolve();

  return {
    countRequest({ method, route = 'none', status, seconds }) {
      const verb = methods.includes(method) ? method : 'other';
      requests.inc({ method: verb, route, status });
      durations.observe({ method: verb, route }, seconds);
    },
    countTelemetry: (outcome, events) => telemetry.inc({ outcome }, events),
    async text() {
      // From the first scrape on: it watches the event loop and the collector, which costs a little.
      if (!watchesProcess) collectDefaultMetrics({ register: registry });
      watchesProcess = true;
      const nowMs = clock.monotonicMs();
      if (nowMs - readAtMs >= keptMs) {
        readAtMs = nowMs;
        reading = refresh();
      }
      await reading;
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}

interface Figure {
  readonly name: string;
  readonly label: string | null;
  readonly value: number;
}

function databaseReader(
  database: SqlDatabase,
  has: MetricsOptions['has'] = { jobs: false, webhooks: false },
): () => Promise<readonly Figure[]> {
  const schema = `"${database.schema}"`;
  const texts = [
    leaseGaugesStatement(schema),
    ...(has.jobs ? [jobGaugesStatement(schema)] : []),
    ...(has.webhooks ? [webhookGaugesStatement(schema)] : []),
  ];
  return async () => {
    const parts: Figure[] = [];
    for (const text of texts) parts.push(...(await database.query<Figure>({ text })).rows);
    return parts;
  };
}
