// A process that analyses through the built package and does what its parent says; it also serves the endpoint.
import { createAnalysisWorker, sqlAnalysisRepo } from 'kannuki/analysis';
import { memoryStore } from 'kannuki/memory';
import { createServerApp, internalToken, serveApp } from 'kannuki/server';

const { store: spec, ttlMs } = JSON.parse(process.argv[2]);
const repo = await openRepo();

/** Analyses that wait for the parent's word, by id. */
const waiting = new Map();
const workerWith = (analyze) => createAnalysisWorker({ repo, ttlSec: ttlMs / 1000, analyze });
const quick = workerWith(async (_, { token }) => {
  // Bodies have a width in which others could slip in.
  await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 100));
  return { by: process.pid, token };
});
const begun = new Map();
const held = workerWith(({ analysisId, lockOwner }, { signal, token }) => {
  process.send({ kind: 'begun', value: { analysisId, token } });
  begun.get(analysisId)?.(token);
  return new Promise((resolve) => {
    waiting.set(analysisId, { signal, token, lockOwner, finish: () => resolve({ by: process.pid, token }) });
  });
});

const commands = {
  handle: ({ analysisId }) => quick.handle({ analysisId }),
  /** Begins an analysis that goes on until `finish`; its outcome comes as the message "handled". */
  hold({ analysisId }) {
    return new Promise((resolve, reject) => {
      let started = false;
      begun.set(analysisId, (token) => {
        started = true;
        resolve(token);
      });
      const ended = (outcome) => {
        if (started) process.send({ kind: 'handled', value: outcome });
        else reject(new Error(`${analysisId} was not begun: ${JSON.stringify(outcome)}`));
      };
      held.handle({ analysisId }).then(ended, (error) => ended({ outcome: 'error', reason: String(error) }));
    });
  },
  async state({ analysisId }) {
    return { aborted: waiting.get(analysisId).signal.aborted };
  },
  async finish({ analysisId }) {
    waiting.get(analysisId).finish();
    return true;
  },
  /** As if the result had been sent just before the process was stopped: no look at the lock. */
  async finishLate({ analysisId }) {
    const { token, lockOwner } = waiting.get(analysisId);
    const result = { by: process.pid, token };
    return repo.finishAnalysis({ analysisId, lockOwner, token, status: 'READY', result });
  },
  async wall() {
    return Date.now();
  },
  async serve({ secret, onLocked, hold = false }) {
    const app = createServerApp({
      store: memoryStore(),
      tokens: [],
      internal: { tokenSha256: internalToken(secret) },
      systems: { analysis: { worker: hold ? held : quick, onLocked } },
    });
    const { url } = await serveApp({ app, port: 0, host: '127.0.0.1' });
    return url;
  },
};

process.on('disconnect', () => process.exit(1));
process.on('message', async ({ id, command, ...options }) => {
  try {
    process.send({ kind: 'answer', id, value: await commands[command](options) });
  } catch (error) {
    process.send({ kind: 'answer', id, error: error?.stack ?? String(error) });
  }
});
process.send({ kind: 'ready' });

async function openRepo() {
  if (spec.kind === 'postgres') {
    const { postgresDatabase } = await import('kannuki/postgres');
    return sqlAnalysisRepo({ database: postgresDatabase({ connectionString: spec.url }) });
  }
  // The library would look for a metadata server of Google's, in vain and for a while.
  process.env.METADATA_SERVER_DETECTION = 'none';
  const { Firestore } = await import('@google-cloud/firestore');
  const { firestoreAnalysisRepo } = await import('kannuki/analysis/firestore');
  const { host, projectId } = spec;
  const firestore = new Firestore({ projectId, host, ssl: false, customHeaders: { Authorization: 'Bearer owner' } });
  const opened = firestoreAnalysisRepo({ firestore });
  // The first call connects, which may take longer than a lock lasts here.
  await opened.readAnalysis('first');
  return opened;
}
