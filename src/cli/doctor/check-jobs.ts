/**
 * What must hold in the tables of jobs whatever happened. The statements that change them keep it so; a row that is
 * named here was changed by hand, restored in part, or shows a mistake of ours.
 */
import type { SqlDatabase } from '../../core/ports.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

interface Invariant {
  readonly name: string;
  /** What it is called when it holds. */
  readonly holds: string;
  /** `broken`: text that names the row. */
  readonly statement: (schema: string) => string;
  readonly fix: string;
  /** It may be so for a moment while somebody works on it. */
  readonly passing?: boolean;
}

/** Named at most. */
const namedMax = 5;

export async function checkJobs(database: SqlDatabase): Promise<readonly Finding[]> {
  const schema = `"${database.schema}"`;
  const { rows } = await database.query<{ there: boolean }>({
    text: 'select to_regclass($1) is not null as there',
    values: [`${schema}.job_runs`],
  });
  if (!rows[0]?.there) return [];
  const findings: Finding[] = [];
  for (const { name, holds, statement, fix, passing } of invariants) {
    const broken = (
      await database.query<{ broken: string }>({ text: `${statement(schema)} limit ${namedMax + 1}` })
    ).rows.map((row) => row.broken);
    if (broken.length === 0) findings.push(ok(name, holds));
    else {
      const named = broken.slice(0, namedMax).join(', ') + (broken.length > namedMax ? ', …' : '');
      findings.push((passing ? warn : fail)(name, named, fix));
    }
  }
  return findings;
}

const invariants: readonly Invariant[] = [
  {
    name: 'jobs: one per key',
    holds: 'no two runs under way share a concurrency key',
    statement: (schema) => `
select concurrency_key || ' (runs ' || string_agg(id::text, ', ' order by id) || ')' as broken
from ${schema}.job_runs where state in ('ASSIGNED', 'RUNNING') and concurrency_key is not null
group by concurrency_key having count(*) > 1`,
    fix: 'cancel all but one with "kannuki runs cancel"; the unique index job_runs_exclusive is missing',
  },
  {
    name: 'jobs: one at a time',
    holds: 'no two runs under way of a job that allows one',
    statement: (schema) => `
select d.name || ' (runs ' || string_agg(r.id::text, ', ' order by r.id) || ')' as broken
from ${schema}.job_runs r join ${schema}.job_definitions d on d.id = r.job_definition_id
where r.state in ('ASSIGNED', 'RUNNING') and d.concurrency <> 'allow' and r.concurrency_key = 'd:' || d.id
group by d.name having count(*) > 1`,
    fix: 'cancel all but one with "kannuki runs cancel"',
  },
  {
    name: 'jobs: in one place',
    holds: 'no run is both under way and ended',
    statement: (schema) => `
select 'run ' || r.id as broken from ${schema}.job_runs r join ${schema}.job_run_history h on h.id = r.id`,
    fix: 'delete the row in job_runs: the run has ended',
  },
  {
    name: 'jobs: one successor',
    holds: 'no run was repeated twice',
    statement: (schema) => `
select 'run ' || retry_of || ' (by ' || string_agg(id::text, ', ' order by id) || ')' as broken
from ${schema}.job_runs_all where retry_of is not null group by retry_of having count(*) > 1`,
    fix: 'cancel all but one of those that repeat it',
  },
  {
    name: 'jobs: epochs',
    holds: 'no run is of a later leader than the fence knows',
    statement: (schema) => `
select 'run ' || r.id || ' (epoch ' || r.leader_epoch || ')' as broken from ${schema}.job_runs r
where r.leader_epoch > coalesce((select token from ${schema}.fences where resource = 'jobs'), 0)`,
    fix: 'the table fences was changed by hand or restored alone: restore all tables of one backup',
  },
  {
    name: 'jobs: definitions',
    holds: 'every run has its definition',
    statement: (schema) => `
select 'run ' || r.id as broken from ${schema}.job_runs r
where not exists (select from ${schema}.job_definitions d where d.id = r.job_definition_id)`,
    fix: 'the definition was deleted by hand: delete these rows too',
  },
  {
    name: 'jobs: attempts',
    holds: 'no attempt was left behind by a worker that is gone',
    // A leader finds such a run within seconds, and asks, and gives it to another: this is long after that.
    statement: (schema) => `
select 'run ' || r.id || ' (worker ' || coalesce(r.assigned_worker_id::text, 'none') || ')' as broken
from ${schema}.job_runs r left join ${schema}.workers w on w.id = r.assigned_worker_id
where r.state in ('ASSIGNED', 'RUNNING') and coalesce(r.assigned_at, r.created_at) < now() - interval '5 minutes'
  and (w.id is null or w.seen_at < now() - interval '5 minutes')`,
    fix: 'nobody leads: start "kannuki serve" or "kannuki worker"; a leader gives them to others',
    passing: true,
  },
  {
    name: 'jobs: waiting',
    holds: 'nothing has been waiting for more than an hour',
    statement: (schema) => `
select 'run ' || r.id || ' of ' || d.name as broken from ${schema}.job_runs r
join ${schema}.job_definitions d on d.id = r.job_definition_id join ${schema}.queues q on q.id = r.queue_id
where r.state = 'PENDING' and r.scheduled_for < now() - interval '1 hour' and not q.paused`,
    fix: 'no worker can run them: start one with their handlers, or cancel them',
    passing: true,
  },
];
