/**
 * An operator's break together with its audit row.
 *
 * Where the leases live in the database of the audit both are one transaction: neither happens without the other. Where
 * they live elsewhere (Redis, Firestore, files) no transaction spans the two. The row is then written first: there is no
 * break without its row, but a row may stand for a break that the store then refused or never heard of.
 */
import type { BreakReply, BreakRequest, LeaseStore, SqlDatabase } from '../../core/ports.ts';
import { breakLeaseIn, namedBreakLease } from '../../sql/break-lease-in.ts';
import { writeAudit } from '../../sql/write-audit.ts';

export interface BreakWithAuditOptions {
  readonly store: LeaseStore;
  /** Where the audit is. Its tables must be there: `accessMigrations`. */
  readonly database: SqlDatabase;
  readonly request: BreakRequest;
  /** Whose token it was. */
  readonly actor: string;
}

export async function breakWithAudit(options: BreakWithAuditOptions): Promise<BreakReply> {
  const { store, database, request, actor } = options;
  const { schema } = database;
  const act = { actor, action: 'break', target: `lease/${request.key}`, why: request.reason };
  if (store.schema?.database !== database) {
    await writeAudit(database, schema, { ...act, after: { by: request.by } });
    return store.breakLease(request);
  }
  return database.transaction(async (tx) => {
    const reply = await breakLeaseIn(tx, namedBreakLease(schema), request);
    if (reply.broken) {
      const { holders, token } = reply;
      await writeAudit(tx, schema, { ...act, before: { holders }, after: { by: request.by, token } });
    }
    return reply;
  });
}
