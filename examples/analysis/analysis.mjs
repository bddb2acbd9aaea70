// An analysis that a careless queue delivers three times at once, and again when it is done: one body, one result.
//
//   node examples/analysis/analysis.mjs
//
// The database is a private PostgreSQL (or PGlite) in a folder that is removed at the end; nothing to install.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from 'kannuki';
import { analysisMigrations, createAnalysisWorker, sqlAnalysisRepo } from 'kannuki/analysis';
import { openEmbedded } from 'kannuki/embedded';
import { memoryStore } from 'kannuki/memory';
import { createServerApp, internalToken, serveApp } from 'kannuki/server';

const dir = mkdtempSync(join(tmpdir(), 'kannuki-analysis-'));
const database = await openEmbedded({ dir });
await migrate(database, [analysisMigrations]);
const repo = sqlAnalysisRepo({ database });

// What is to be done. `signal` aborts when the lock is lost: a result would be refused then.
const worker = createAnalysisWorker({
  repo,
  async analyze({ analysisId, input }, { signal, token }) {
    console.log(`analysing ${analysisId}`);
    const words = input.text.split(' ');
    await new Promise((resolve) => setTimeout(resolve, 300));
    signal.throwIfAborted();
    return { words: words.length, longest: words.toSorted((a, b) => b.length - a.length)[0], token };
  },
});

// Where the queue calls: POST /internal/tasks/analysis, with the internal token and nothing else.
const secret = randomBytes(32).toString('hex');
const app = createServerApp({
  store: memoryStore(),
  tokens: [],
  internal: { tokenSha256: internalToken(secret) },
  systems: { analysis: { worker } },
});
const server = await serveApp({ app, port: 0 });

// A queue calls until it hears 2xx, and Retry-After says when to come again; here it is impatient.
async function deliver(analysisId) {
  for (let call = 1; ; call++) {
    const reply = await fetch(`${server.url}/internal/tasks/analysis`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ analysis_id: analysisId }),
    });
    const { outcome, reason } = await reply.json();
    if (call === 1 || reply.ok) console.log(`${reply.status} ${outcome}${reason ? ` (${reason})` : ''}`);
    if (reply.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

try {
  await repo.createAnalysis('page-1', { text: 'what must happen once happens once' });
  await Promise.all([deliver('page-1'), deliver('page-1'), deliver('page-1')]);
  await deliver('page-1');
  const { status, result } = await repo.readAnalysis('page-1');
  console.log(`${status}: ${result.words} words, the longest is "${result.longest}"`);
} finally {
  await server.close();
  await worker.close();
  await database.close();
  rmSync(dir, { recursive: true, force: true });
}
