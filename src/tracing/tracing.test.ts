import { context as apiContext, propagation, type TextMapPropagator, trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLeases } from '../engine/lease-keeper.ts';
import { apiToken } from '../server/authenticate.ts';
import { createServerApp } from '../server/create-server-app.ts';
import { memoryStore } from '../stores/memory/index.ts';
import { traceLeases } from './trace-leases.ts';
import { traceRuns } from './trace-runs.ts';
import { tracer } from './tracer.ts';

const secret = 's'.repeat(64);
const run = { id: 7, job: 'report', attempt: 2, scheduledForMs: 0 };

it('does nothing without an SDK', () => {
  expect(tracer()).toBeUndefined();
  const result = {};
  expect(traceRuns(run, () => result)).toBe(result);
});

describe('with an SDK', () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  /** What W3C's does for the one header that is tested; the SDK that has it is not among our packages. */
  const propagator: TextMapPropagator = {
    inject() {},
    extract(context, carrier, getter) {
      const [, traceId = '', spanId = ''] = String(getter.get(carrier, 'traceparent') ?? '').split('-');
      return traceId ? trace.setSpanContext(context, { traceId, spanId, traceFlags: 1, isRemote: true }) : context;
    },
    fields: () => ['traceparent'],
  };
  beforeAll(() => {
    trace.setGlobalTracerProvider(provider);
    propagation.setGlobalPropagator(propagator);
  });
  beforeEach(() => exporter.reset());
  afterAll(async () => {
    trace.disable();
    propagation.disable();
    apiContext.disable();
    await provider.shutdown();
  });

  it('a request is a span named after its route, a child of the caller’s', async () => {
    const app = createServerApp({
      store: memoryStore(),
      tokens: [apiToken({ name: 'root', role: 'viewer', secret })],
    });
    const traceId = 'a'.repeat(32);
    const response = await app.fetch(
      new Request('http://test/api/v1/leases?prefix=private', {
        headers: { authorization: `Bearer ${secret}`, traceparent: `00-${traceId}-${'b'.repeat(16)}-01` },
      }),
    );
    const [span] = exporter.getFinishedSpans();
    expect(span).toMatchObject({
      name: 'GET /api/v1/leases',
      attributes: {
        'http.request.method': 'GET',
        'http.response.status_code': 200,
        'http.route': '/api/v1/leases',
        'kannuki.request.id': response.headers.get('x-request-id'),
      },
    });
    expect(span?.spanContext().traceId).toBe(traceId);
    expect(JSON.stringify(span?.attributes)).not.toMatch(/private|sss/);
    exporter.reset();
    await app.fetch(new Request('http://test/nowhere'));
    expect(exporter.getFinishedSpans()).toMatchObject([
      { name: 'GET', attributes: { 'http.response.status_code': 404 } },
    ]);
  });

  it('a run is a span that tells how it ended', async () => {
    expect(await traceRuns(run, async () => 'done')).toBe('done');
    await expect(traceRuns(run, () => Promise.reject(new TypeError('secret')))).rejects.toThrow('secret');
    const spans = exporter.getFinishedSpans();
    expect(spans).toMatchObject([
      {
        name: 'kannuki run report',
        attributes: { 'kannuki.run.id': 7, 'kannuki.run.attempt': 2 },
        status: { code: 0 },
      },
      { name: 'kannuki run report', status: { code: 2, message: 'TypeError' } },
    ]);
  });

  it('a lease is a span from its grant to its end', async () => {
    const store = memoryStore();
    const leases = createLeases({ store });
    const stop = traceLeases(leases);
    const acquire = async () => {
      const outcome = await leases.acquire('deploy');
      if (!outcome.acquired) throw new Error('The lease is held.');
      return outcome.lease;
    };
    const lease = await acquire();
    expect(exporter.getFinishedSpans()).toEqual([]);
    await lease.release();
    expect(exporter.getFinishedSpans()).toMatchObject([
      {
        name: 'kannuki lease hold',
        attributes: {
          'kannuki.lease.key': 'deploy',
          'kannuki.lease.token': lease.token,
          'kannuki.lease.outcome': 'released',
        },
      },
    ]);
    const second = await acquire();
    const lost = new Promise((resolve) => second.signal.addEventListener('abort', resolve));
    await leases.break('deploy', { by: 'test', reason: 'gone' });
    await lost;
    expect(exporter.getFinishedSpans()[1]).toMatchObject({
      attributes: { 'kannuki.lease.outcome': 'lost' },
      status: { code: 2 },
    });
    stop();
    await leases.close();
  });
});
