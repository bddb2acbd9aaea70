/**
 * The definitions this process knows. `define` only notes one; it is written to the database before the first thing
 * that needs it. A name that is not defined here is looked up, so that a process may enqueue what others run.
 */
import type { SqlDatabase, SqlExecutor } from '../../core/ports.ts';
import { writeAudit } from '../../sql/write-audit.ts';
import { auditedDefinition } from './audited-definition.ts';
import { type JobDefinition, type StoredDefinition, storeDefinition } from './job-definition.ts';
import { JobError } from './job-error.ts';
import type { JobHandler } from './job-handler.ts';
import { nextDueTimes } from './schedule/next-due-times.ts';
import type { JobStatements } from './sql/job-statements.ts';
import type { JobTarget } from './targets/job-target.ts';

export interface KnownDefinition {
  readonly id: number;
  readonly queueId: number;
  readonly name: string;
  readonly stored: StoredDefinition;
  /** As given to `define` in this process, or a handler that was attached. */
  readonly defined: (JobDefinition & { readonly attached?: true }) | undefined;
}

export interface DefinitionRegistry {
  add(definition: JobDefinition): void;
  /** Writes what was defined since the last time. */
  store(): Promise<void>;
  /** Writes one at once, with its audit row, all or nothing: an operator's edit. */
  edit(definition: JobDefinition, act: { readonly by: string; readonly why?: string }): Promise<void>;
  /** Throws `unknown-job`. */
  find(name: string): Promise<KnownDefinition>;
  /** Gives a job that is in the database a handler here, or takes it away; nothing is written. Throws `unknown-job`. */
  attach(name: string, handler: JobHandler | undefined): Promise<void>;
  /** Found before; no trip. */
  known(name: string): KnownDefinition | undefined;
  byId(id: number): KnownDefinition | undefined;
  /** Those with a handler here. */
  handled(): readonly KnownDefinition[];
  /** The ids of queues that are known here, by name. */
  queueId(queue: string): Promise<number>;
}

interface Written {
  readonly id: number;
  readonly queueId: number;
}

type StoredRow = StoredDefinition & {
  readonly id: number;
  readonly queue_id: number;
  readonly queue: string;
  readonly target: JobTarget | null;
};

export function createDefinitionRegistry(database: SqlDatabase, statements: JobStatements): DefinitionRegistry {
  const waiting = new Map<string, { definition: JobDefinition; stored: StoredDefinition }>();
  const byName = new Map<string, KnownDefinition>();
  const byId = new Map<number, KnownDefinition>();
  let storing: Promise<void> = Promise.resolve();

  const keep = (known: KnownDefinition): KnownDefinition => {
    byName.set(known.name, known);
    byId.set(known.id, known);
    return known;
  };

  const write = async (on: SqlExecutor, definition: JobDefinition, stored: StoredDefinition): Promise<Written> => {
    const { name, queue = 'default' } = definition;
    let cursorMs: number | null = null;
    let nextMs: number | null = null;
    if (stored.schedule) {
      const { rows } = await on.query<{ now_ms: number }>({
        text: 'select floor(extract(epoch from now()) * 1000)::float8 as now_ms',
      });
      cursorMs = rows[0]?.now_ms ?? 0;
      nextMs = nextDueTimes(stored.schedule, cursorMs, 1)[0]?.scheduledForMs ?? null;
    }
    const { rows } = await on.query<{ id: number; queue_id: number }>(
      statements.putDefinition(name, queue, JSON.stringify(stored), cursorMs, nextMs),
    );
    const [row] = rows;
    if (!row) throw new JobError(`The job "${name}" could not be stored.`, { code: 'unknown-outcome', job: name });
    if (definition.target) {
      const target = JSON.stringify(definition.target);
      await on.query({
        text: `update "${database.schema}".job_definitions set target = $2::json where id = $1::int`,
        values: [row.id, target],
      });
    }
    return { id: row.id, queueId: row.queue_id };
  };

  const remember = (definition: JobDefinition, stored: StoredDefinition, { id, queueId }: Written): void => {
    const { name } = definition;
    // An operator's edit does not take away the code that does the work here.
    const before = byName.get(name)?.defined;
    const { handler, schema } = before?.attached ? {} : (before ?? {});
    const code = definition.handler ? {} : { ...(handler && { handler }), ...(schema && { schema }) };
    keep({ id, queueId, name, stored, defined: { ...code, ...definition } });
  };

  const readRow = async (on: SqlExecutor, name: string): Promise<StoredRow | undefined> =>
    (
      await on.query<StoredRow>(
        statements.readDefinitions(JSON.stringify([name]).replace(/^\[/, '{').replace(/\]$/, '}')),
      )
    ).rows[0];

  const storeWaiting = async (): Promise<void> => {
    for (const [name, { definition, stored }] of [...waiting]) {
      remember(definition, stored, await write(database, definition, stored));
      if (waiting.get(name)?.definition === definition) waiting.delete(name);
    }
  };

  const lookUp = async (name: string): Promise<KnownDefinition> => {
    const row = await readRow(database, name);
    if (row) return keep({ id: row.id, queueId: row.queue_id, name, stored: row, defined: undefined });
    throw new JobError(
      `No job is called "${name}": define it here, or start once the process that does. Nothing was enqueued.`,
      { code: 'unknown-job', job: name },
    );
  };

  return {
    add(definition) {
      waiting.set(definition.name, { definition, stored: storeDefinition(definition) });
    },
    async store() {
      if (waiting.size === 0) return storing;
      storing = storing.catch(() => undefined).then(storeWaiting);
      return storing;
    },
    async edit(definition, { by, why }) {
      const stored = storeDefinition(definition);
      const written = await database.transaction(async (tx) => {
        const before = await readRow(tx, definition.name);
        const done = await write(tx, definition, stored);
        const after = await readRow(tx, definition.name);
        await writeAudit(tx, database.schema, {
          actor: by,
          action: 'edit',
          target: `job/${definition.name}`,
          before: before && auditedDefinition(before),
          after: after && auditedDefinition(after),
          why,
        });
        return done;
      });
      remember(definition, stored, written);
    },
    async find(name) {
      return byName.get(name) ?? (await lookUp(name));
    },
    async attach(name, handler) {
      // Read again: it may have been changed since.
      keep({ ...(await lookUp(name)), defined: handler && { name, handler, attached: true } });
    },
    known: (name) => byName.get(name),
    byId: (id) => byId.get(id),
    handled: () => [...byName.values()].filter(({ defined }) => defined?.handler !== undefined),
    async queueId(queue) {
      const { rows } = await database.query<{ id: number }>({
        text: `insert into "${database.schema}".queues (name) values ($1::text)
on conflict (name) do update set name = excluded.name returning id`,
        values: [queue],
      });
      return rows[0]?.id ?? 0;
    },
  };
}
