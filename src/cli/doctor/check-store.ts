import type { Clock, LeaseStore } from '../../core/ports.ts';
import { readMigrationState } from '../migration-state.ts';
import { checkDatabase } from './check-database.ts';
import { checkJobs } from './check-jobs.ts';
import { checkMoney } from './check-money.ts';
import { type Finding, fail, ok, sentenceOf, warn } from './finding.ts';

/** How many times the store is asked; the middle answer counts. */
const rounds = 5;
/** A store slower than this eats the margin of short leases. */
const slowMs = 100;

/** Whether the store answers, how quickly, and what it holds. Nothing is changed. */
export async function checkStore(store: LeaseStore, where: string, clock: Clock): Promise<readonly Finding[]> {
  const { schema } = store;
  const findings: Finding[] = [];
  try {
    const tookMs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const startMs = clock.monotonicMs();
      if (schema) await schema.database.query({ text: 'select 1' });
      // One record: a list may have to walk over everything the store holds.
      else await store.explainLoss({ key: 'kannuki doctor', owner: 'doctor.0@doctor', token: 0 });
      tookMs.push(clock.monotonicMs() - startMs);
    }
    const middleMs = tookMs.sort((a, b) => a - b)[rounds >> 1] ?? 0;
    const detail = `${where} answers in ${middleMs.toFixed(1)} ms`;
    findings.push(
      middleMs < slowMs ? ok('store', detail) : warn('store', detail, 'use TTLs of several seconds, or a nearer store'),
    );
  } catch (error) {
    return [fail('store', sentenceOf(error), 'start it, or name another with --store')];
  }
  if (schema) {
    const state = await readMigrationState(schema.database, schema.migrations);
    findings.push(migrationFinding(state));
    findings.push(...(await checkDatabase(schema.database, clock, state.kind === 'current')));
    if (state.kind !== 'current') return findings;
    findings.push(...(await checkJobs(schema.database)), ...(await checkMoney(schema.database)));
  }
  const held = await store.list({ limit: 1_000 });
  const waiting = held.reduce((sum, lease) => sum + lease.waiting, 0);
  findings.push(ok('leases', `${held.length === 1_000 ? 'at least 1000' : held.length} held, ${waiting} waiting`));
  return findings;
}

function migrationFinding(state: Awaited<ReturnType<typeof readMigrationState>>): Finding {
  switch (state.kind) {
    case 'current':
      return ok('migrations', 'up to date');
    case 'missing':
      return warn('migrations', `${state.count} to apply`, 'run "kannuki migrate", or let the first use do it');
    case 'newer':
      return fail(
        'migrations',
        `made by a newer version (${state.system} ${state.number})`,
        'install that version of kannuki',
      );
  }
}
