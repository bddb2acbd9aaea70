/** Every statement of jobs for one schema, named for preparing. */
import type { SqlStatement } from '../../../core/ports.ts';
import { quoteSchema } from '../../../sql/schema-name.ts';
import { statementName } from '../../../sql/statement-name.ts';
import { assignStatement } from './assign.ts';
import { cancelStatement } from './cancel.ts';
import { changeWorkerStatement } from './change-worker.ts';
import { claimStatement } from './claim.ts';
import { confirmStatement } from './confirm.ts';
import { emitEventStatement } from './emit-event.ts';
import { enqueueIdsStatement } from './enqueue-ids.ts';
import { enqueueKeyedStatement } from './enqueue-keyed.ts';
import { enqueueManyStatement } from './enqueue-many.ts';
import { enqueueRowsStatement } from './enqueue-rows.ts';
import { finishStatement } from './finish.ts';
import { finishFailedStatement } from './finish-failed.ts';
import { hearWorkersStatement } from './hear-workers.ts';
import { heartbeatStatement } from './heartbeat.ts';
import { listCandidatesStatement } from './list-candidates.ts';
import { listDueStatement } from './list-due.ts';
import { listGatedStatement } from './list-gated.ts';
import { listQuietStatement } from './list-quiet.ts';
import { lookStatement } from './look.ts';
import { markCancelsStatement } from './mark-cancels.ts';
import { mineStatement } from './mine.ts';
import { nextSilenceStatement } from './next-silence.ts';
import { orphanStatement } from './orphan.ts';
import { ownsRunStatement } from './owns-run.ts';
import { processEventsStatement } from './process-events.ts';
import { pruneHistoryStatement } from './prune-history.ts';
import { putDefinitionStatement } from './put-definition.ts';
import { raiseFenceStatement } from './raise-fence.ts';
import { readDefinitionsStatement } from './read-definitions.ts';
import { reassignStatement } from './reassign.ts';
import { recordDueStatement } from './record-due.ts';
import { refusedStatement } from './refused.ts';
import { registerWorkerStatement } from './register-worker.ts';
import { releaseLimitedStatement } from './release-limited.ts';
import { replaceActiveStatement } from './replace-active.ts';
import { rescueRunningStatement } from './rescue-running.ts';
import { retryRunStatement } from './retry-run.ts';
import { setHungryStatement } from './set-hungry.ts';
import { setProgressStatement } from './set-progress.ts';
import { skipLateStatement } from './skip-late.ts';
import { startStatement } from './start.ts';
import { stopWorkerStatement } from './stop-worker.ts';
import { sweepWorkersStatement } from './sweep-workers.ts';

export type JobStatementName = keyof ReturnType<typeof textsOf>;

/** Gives a statement with its values. */
export type JobStatements = {
  readonly [Name in JobStatementName]: (...values: readonly (string | number | boolean | null)[]) => SqlStatement;
};

/** The channel on which processes of one schema tell each other. */
export function jobChannel(schemaName: string): string {
  return `${schemaName}_jobs`;
}

export function jobStatements(schemaName: string): JobStatements {
  const texts = Object.entries(textsOf(quoteSchema(schemaName), jobChannel(schemaName)));
  return Object.fromEntries(
    texts.map(([verb, text]) => {
      const name = statementName(`jobs_${verb}`, text);
      return [verb, (...values: readonly unknown[]): SqlStatement => ({ name, text, values })];
    }),
  ) as unknown as JobStatements;
}

function textsOf(schema: string, channel: string) {
  return {
    assign: assignStatement(schema, channel),
    cancel: cancelStatement(schema, channel),
    changeWorker: changeWorkerStatement(schema, channel),
    claim: claimStatement(schema),
    confirm: confirmStatement(schema),
    emitEvent: emitEventStatement(schema, channel),
    enqueueIds: enqueueIdsStatement(schema, channel),
    enqueueKeyed: enqueueKeyedStatement(schema, channel),
    enqueueMany: enqueueManyStatement(schema, channel),
    enqueueRows: enqueueRowsStatement(schema, channel),
    finish: finishStatement(schema, channel),
    finishFailed: finishFailedStatement(schema, channel),
    hearWorkers: hearWorkersStatement(schema),
    heartbeat: heartbeatStatement(schema),
    listCandidates: listCandidatesStatement(schema),
    listDue: listDueStatement(schema),
    listGated: listGatedStatement(schema),
    listQuiet: listQuietStatement(schema),
    look: lookStatement(schema),
    markCancels: markCancelsStatement(schema),
    mine: mineStatement(schema),
    nextSilence: nextSilenceStatement(schema),
    orphan: orphanStatement(schema),
    ownsRun: ownsRunStatement(schema),
    processEvents: processEventsStatement(schema, channel),
    pruneHistory: pruneHistoryStatement(schema),
    putDefinition: putDefinitionStatement(schema),
    raiseFence: raiseFenceStatement(schema),
    readDefinitions: readDefinitionsStatement(schema),
    reassign: reassignStatement(schema, channel),
    recordDue: recordDueStatement(schema, channel),
    refused: refusedStatement(schema),
    registerWorker: registerWorkerStatement(schema),
    releaseLimited: releaseLimitedStatement(schema, channel),
    replaceActive: replaceActiveStatement(schema, channel),
    rescueRunning: rescueRunningStatement(schema, channel),
    retryRun: retryRunStatement(schema, channel),
    setHungry: setHungryStatement(schema),
    setProgress: setProgressStatement(schema),
    skipLate: skipLateStatement(schema),
    start: startStatement(schema),
    stopWorker: stopWorkerStatement(schema, channel),
    sweepWorkers: sweepWorkersStatement(schema),
  };
}
