/**
 * Makes runs. Everything is checked before anything is sent: the name, the payload against its schema, its size, the
 * options. Then one statement, on the caller's transaction if there is one.
 */
import type { SqlExecutor, SqlStatement } from '../../../core/ports.ts';
import type { KnownDefinition } from '../definition-registry.ts';
import { JobError } from '../job-error.ts';
import type { JobsContext } from '../jobs-context.ts';
import { openSqlTransaction } from '../sql-transaction.ts';
import { applyStandardSchema } from '../standard-schema.ts';
import type { Enqueued, EnqueuedMany, EnqueueItem, EnqueueOptions } from './enqueue-options.ts';
import { noFields, optionFields, plainOptions } from './option-fields.ts';
import { payloadJson } from './payload-json.ts';
import { createRunColumns, type RunChunk } from './run-columns.ts';

export interface Enqueuer {
  one(job: string, payload: unknown, options: EnqueueOptions): Promise<Enqueued>;
  many(items: readonly EnqueueItem[], options: Pick<EnqueueOptions, 'tx'>): Promise<EnqueuedMany>;
}

/** Runs of one statement: enough for the best rate, few enough for a parameter of some megabytes. */
const chunkRuns = 20_000;
const chunkChars = 8_000_000;

export function createEnqueuer(context: JobsContext, ready: () => Promise<void>): Enqueuer {
  const { database, statements, definitions } = context;

  const executorOf = (tx: EnqueueOptions['tx']): SqlExecutor => (tx === undefined ? database : openSqlTransaction(tx));

  const checked = (known: KnownDefinition, payload: unknown): string | Promise<string> => {
    const { name, defined } = known;
    if (!defined?.schema) return payloadJson(payload, name);
    const applied = applyStandardSchema(defined.schema, payload, name);
    // The input is kept, not what the schema made of it: the handler's process applies it again.
    return applied instanceof Promise ? applied.then(() => payloadJson(payload, name)) : payloadJson(payload, name);
  };

  return {
    async one(job, payload, options) {
      const { tx } = options;
      await ready();
      const known = definitions.known(job) ?? (await definitions.find(job));
      const text = await checked(known, payload);
      const { priority: pr, time: s, concurrencyKey: c, rateKey: r, idempotencyKey: k } = optionFields(options, job);
      const rest = JSON.stringify({ pr, s, c, r, k }).slice(1);
      const item = `[{"i":0,"d":${known.id},"p":${text}${rest === '}' ? rest : `,${rest}`}]`;
      const { rows } = await executorOf(tx).query<{ id: unknown; created: boolean; holder: unknown }>(
        statements.enqueueIds(item),
      );
      const [row] = rows;
      if (!row) {
        throw new JobError(`The job "${job}" is no longer in the database; define it again. Nothing was enqueued.`, {
          code: 'unknown-job',
          job,
        });
      }
      if (row.created) return { runId: Number(row.id), created: true };
      // Committed by another between our read and our write: its row is visible now.
      const holder = row.holder ?? (await readHolder(executorOf(tx), options.idempotencyKey ?? ''));
      return { runId: Number(holder), created: false };
    },
    async many(items, { tx }) {
      await ready();
      const executor = executorOf(tx);
      let created = 0;
      // Everything is checked first: one wrong item enqueues nothing.
      const { chunks, shared } = await chunksOf(items);
      for (const chunk of chunks) {
        const { rows } = await executor.query<{ n: unknown; known?: unknown }>(statementOf(chunk, shared));
        const made = Number(rows[0]?.n ?? 0);
        created += made;
        const found = Number(rows[0]?.known ?? made);
        if (found !== chunk.count) throw unknownJobs(chunk.count - found);
      }
      return { created, duplicates: items.length - created };
    },
  };

  function statementOf(chunk: RunChunk, shared: KnownDefinition | undefined): SqlStatement {
    const { payloads, definitions: ids, priorities, times, concurrencyKeys, rateKeys, idempotencyKeys } = chunk;
    if (shared) return statements.enqueueMany(payloads, shared.id, null, null);
    const columns = [payloads, ids, priorities, times, concurrencyKeys, rateKeys] as const;
    return idempotencyKeys === null
      ? statements.enqueueRows(...columns)
      : statements.enqueueKeyed(...columns, idempotencyKeys);
  }

  /** `shared`: all are of one job and have no options. */
  async function chunksOf(
    items: readonly EnqueueItem[],
  ): Promise<{ readonly chunks: readonly RunChunk[]; readonly shared: KnownDefinition | undefined }> {
    const [first] = items;
    if (!first) return { chunks: [], shared: undefined };
    const isShared = items.every((item) => item.job === first.job && plainOptions(item));
    const shared = isShared ? await definitions.find(first.job) : undefined;
    const columns = createRunColumns({ itemsMax: chunkRuns, charsMax: chunkChars });
    for (const item of items) {
      const known = shared ?? definitions.known(item.job) ?? (await definitions.find(item.job));
      const made = checked(known, item.payload);
      const text = typeof made === 'string' ? made : await made;
      columns.add(known.id, text, shared ? noFields : optionFields(item, item.job));
    }
    return { chunks: columns.chunks(), shared };
  }

  async function readHolder(on: SqlExecutor, key: string): Promise<unknown> {
    const { rows } = await on.query<{ run_id: unknown }>({
      text: `select run_id from "${database.schema}".job_keys where idempotency_key = $1`,
      values: [key],
    });
    return rows[0]?.run_id ?? 0;
  }
}

function unknownJobs(count: number): JobError {
  return new JobError(`${count} of the runs are of jobs that are no longer in the database; define them again.`, {
    code: 'unknown-job',
  });
}
