/** What a handler's calls do: its log, its progress, and the two questions that only the database can answer. */
import { JobError } from '../job-error.ts';
import type { JobsContext } from '../jobs-context.ts';
import { openSqlTransaction } from '../sql-transaction.ts';
import type { ActiveRun, RunServices } from './active-run.ts';
import type { ProgressBoard } from './progress-board.ts';
import { resultOutcome } from './result-outcome.ts';

export function createRunServices(context: JobsContext, progress: ProgressBoard): RunServices {
  const { statements, logs } = context;
  return {
    log: (run, line) => logs?.append(run.id, run.claimed.attempt, line),
    flushLog: async () => logs?.flush(),
    progress: (run, fraction) => progress.note(run.id, fraction),
    async assertOwner(run) {
      if (run.stopped === 'lost' || !(await isOwner(context, run))) throw notOwner(run);
    },
    async finishIn(run, transaction, result) {
      const outcome = resultOutcome(result);
      if (outcome.state !== 'SUCCEEDED') throw new JobError(outcome.error ?? '', { code: 'invalid-argument' });
      const { id, leader_epoch: epoch, version, attempt } = run.claimed;
      const results = outcome.result === undefined ? '[]' : `[{"id":${id},"result":${outcome.result}}]`;
      const { rows } = await openSqlTransaction(transaction).query<{ n: unknown }>(
        statements.finish(`{${id}}`, run.workerId, epoch, version, attempt, 'SUCCEEDED', results),
      );
      if (Number(rows[0]?.n ?? 0) !== 1) throw notOwner(run);
      run.finishing = true;
    },
  };
}

/** The row still says that the run is this worker's, in this attempt. */
export async function isOwner({ database, statements }: JobsContext, run: ActiveRun): Promise<boolean> {
  const { id, leader_epoch: epoch, version, attempt } = run.claimed;
  const { rows } = await database.query(statements.ownsRun(id, run.workerId, epoch, version, attempt));
  return rows.length === 1;
}

function notOwner(run: ActiveRun): JobError {
  return new JobError(`Run ${run.id} of "${run.job}" is no longer this worker’s; stop and undo what it did.`, {
    code: 'not-owner',
    job: run.job,
    runId: run.id,
  });
}
