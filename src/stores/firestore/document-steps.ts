/**
 * One atomic step on one document, by compare-and-set:
 *
 *   read       the document and the server's clock (`readTime`)
 *   decide     purely, at that clock
 *   write      only if `updateTime` is still what was read; else read again
 *
 * Nothing happened to the document between read and write, so the step is as if made at one moment. An older clock
 * errs safely: whoever had ended at the read has ended at the write, and a grant counts from the read.
 *
 * The SDK repeats a write whose answer was lost, and then hears that the document has changed: by itself. So every
 * write carries a new `change`, and a document that remembers ours has our write, answered late (remember-change.ts).
 *
 * Steps of this process on one document queue up: racing against ourselves would only cost trips.
 */
import { LeaseError } from '../../core/errors.ts';
import type { Clock, Random } from '../../core/ports.ts';
import { nextDelayMs } from '../../core/retry.ts';
import {
  type FirestoreClient,
  type FirestoreDocument,
  type FirestoreSnapshot,
  microsecondsOf,
  readTogether,
  writeIfUnchanged,
} from './firestore-client.ts';
import { explainFirestoreError, mayTryAgain } from './firestore-errors.ts';
import { findChange, rememberChange } from './remember-change.ts';
import { timeLimit } from './time-limit.ts';

export interface Step<T> {
  readonly reply: T;
  /** What to write; absent: the reply stands without a write. `change` must be among the fields. */
  readonly fields?: (change: string) => object;
}

export interface DocumentSteps {
  step<T>(document: FirestoreDocument, decide: (snapshot: FirestoreSnapshot, nowUs: number) => Step<T>): Promise<T>;
  /** One step on several documents, all or nothing; one decision, one field set per document. */
  stepAll<T>(
    documents: readonly FirestoreDocument[],
    decide: (snapshots: readonly FirestoreSnapshot[], nowUs: number) => StepAll<T>,
  ): Promise<T>;
}

export interface StepAll<T> {
  readonly reply: T;
  /** Undefined in a place: that document is not written. */
  readonly fields?: readonly (((change: string) => object) | undefined)[];
}

export interface DocumentStepsOptions {
  readonly client: FirestoreClient;
  /** A step that has not come to an end after this is given up; it may still take effect. */
  readonly commandTimeoutMs: number;
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>;
  readonly random: Random;
}

export function documentSteps({ client, commandTimeoutMs, clock, random }: DocumentStepsOptions): DocumentSteps {
  const turns = new Map<string, Promise<unknown>>();

  async function run<T>(
    documents: readonly FirestoreDocument[],
    decide: (snapshots: readonly FirestoreSnapshot[], nowUs: number) => StepAll<T>,
    sinceMs: number,
  ): Promise<T> {
    const leftMs = (): number => sinceMs + commandTimeoutMs - clock.monotonicMs();
    /** What was written in vain, as far as we were told. */
    const sent = new Map<
      string,
      { readonly at: number; readonly before: FirestoreSnapshot | undefined; readonly reply: T }
    >();
    for (let attempt = 1; leftMs() > 0; attempt++) {
      const snapshots = await timeLimit(clock, leftMs(), readAll(client, documents));
      for (const [change, { at, before, reply }] of sent) {
        const found = findChange(before, snapshots[at], change);
        if (found === 'landed') return reply;
        if (found === 'unknown') throw unknownOutcome(documents[at]?.id);
      }
      const nowUs = Math.min(...snapshots.map(({ readTime }) => microsecondsOf(readTime)));
      const { reply, fields = [] } = decide(snapshots, nowUs);
      const at = fields.findIndex((one) => one !== undefined);
      if (at < 0) return reply;
      const change = random.hex(8);
      const batch = client.batch();
      fields.forEach((one, i) => {
        const document = documents[i];
        if (one && document)
          writeIfUnchanged(batch, document, snapshots[i], { ...one(change), ...rememberChange(snapshots[i], change) });
      });
      try {
        await timeLimit(clock, leftMs(), batch.commit());
        return reply;
      } catch (error) {
        if (!mayTryAgain(error)) throw error;
        sent.set(change, { at, before: snapshots[at], reply });
      }
      const delayMs = nextDelayMs({ attempt, baseMs: 5, maxMs: 500, fraction: random.fraction() });
      await new Promise<void>((resolve) => clock.after(delayMs, resolve, { background: true }));
    }
    throw new LeaseError(
      `Too many write the Firestore document "${documents[0]?.id}" at once; nothing was changed within ${commandTimeoutMs} ms. Try again later.`,
      { code: 'store-unavailable', retryable: true },
    );
  }

  /** After those of this process that came before. Waiting for a turn counts: the caller's time passes. */
  function inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const turn = (turns.get(id) ?? Promise.resolve()).then(work, work);
    const settled = turn.then(
      () => forget(),
      () => forget(),
    );
    const forget = (): void => {
      if (turns.get(id) === settled) turns.delete(id);
    };
    turns.set(id, settled);
    return turn;
  }

  const explain = (error: unknown): never => {
    throw explainFirestoreError(error);
  };

  return {
    step<T>(document: FirestoreDocument, decide: (snapshot: FirestoreSnapshot, nowUs: number) => Step<T>): Promise<T> {
      const sinceMs = clock.monotonicMs();
      const decideOne = ([snapshot]: readonly FirestoreSnapshot[], nowUs: number): StepAll<T> => {
        const { reply, fields } = decide(snapshot as FirestoreSnapshot, nowUs);
        return { reply, fields: [fields] };
      };
      return inTurn(document.id, () => run([document], decideOne, sinceMs)).catch(explain);
    },
    stepAll: (documents, decide) => run(documents, decide, clock.monotonicMs()).catch(explain),
  };
}

function unknownOutcome(id: string | undefined): LeaseError {
  return new LeaseError(
    `The answer to a write of the Firestore document "${id}" was lost, and so much was written since that it is not known whether it took effect.`,
    { code: 'store-unavailable', retryable: true },
  );
}

async function readAll(
  client: FirestoreClient,
  documents: readonly FirestoreDocument[],
): Promise<readonly FirestoreSnapshot[]> {
  const [only] = documents;
  if (only && documents.length === 1) return [await only.get()];
  return readTogether(client, documents);
}
