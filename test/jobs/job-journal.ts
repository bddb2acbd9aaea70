/**
 * What really happened to the rows, written by triggers of the test's own: an observer that shares no code with the
 * statements it watches. Changes of one run are in order, because they are made under its row lock.
 */
import type { JobsRig } from './jobs-rig.ts';

export interface JournalRow {
  readonly id: number;
  readonly state: string;
  readonly version: number;
  readonly attempt: number;
  readonly assigned_worker_id: number | null;
  readonly leader_epoch: number | null;
  readonly start_token: number | null;
  readonly retry_of: number | null;
  readonly concurrency_key: string | null;
  readonly cancel_requested_at: string | null;
  readonly reason?: string | null;
  readonly job_definition_id: number;
}

export interface JournalEntry {
  readonly seq: number;
  /** Entries of one statement have the same. */
  readonly tx: string;
  readonly what: 'fences' | 'job_run_history' | 'job_run_transitions' | 'job_runs';
  readonly op: 'DELETE' | 'INSERT' | 'UPDATE';
  readonly old: JournalRow | null;
  readonly new: (JournalRow & { readonly token?: number; readonly why?: string; readonly run_id?: number }) | null;
}

export async function keepJournal(rig: JobsRig): Promise<void> {
  await rig.sql(`create table jobs.journal (
  seq bigint generated always as identity, tx text not null, what text not null, op text not null, old jsonb, new jsonb)`);
  await rig.sql(`create function jobs.note() returns trigger language plpgsql as $$
begin
  insert into jobs.journal (tx, what, op, old, new) values (pg_current_xact_id()::text, tg_table_name, tg_op,
    case when tg_op <> 'INSERT' then to_jsonb(old) end, case when tg_op <> 'DELETE' then to_jsonb(new) end);
  return null;
end $$`);
  for (const table of ['job_runs', 'job_run_history', 'job_run_transitions', 'fences']) {
    await rig.sql(`create trigger note after insert or update or delete on jobs.${table}
for each row execute function jobs.note()`);
  }
}

export function readJournal(rig: JobsRig): Promise<readonly JournalEntry[]> {
  return rig.sql<JournalEntry>('select seq, tx, what, op, old, new from jobs.journal order by seq');
}
