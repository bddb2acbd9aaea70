/**
 * What we need of a Firestore client, by shape: the SDK is not imported. A `Firestore` of `@google-cloud/firestore` 7 or
 * newer fits as it is, and so does the one that `firebase-admin` returns.
 */

export interface FirestoreTimestamp {
  readonly seconds: number;
  readonly nanoseconds: number;
}

export interface FirestoreSnapshot {
  readonly id: string;
  readonly exists: boolean;
  /** The server's clock when it read. */
  readonly readTime: FirestoreTimestamp;
  /** When the document last changed: the version that a write compares. Absent where there is no document. */
  readonly updateTime?: FirestoreTimestamp | undefined;
  data(): Readonly<Record<string, unknown>> | undefined;
}

export interface FirestoreDocument {
  readonly id: string;
  get(): Promise<FirestoreSnapshot>;
}

/**
 * Writes that happen together or not at all. The SDK's own parameters are classes and generics that no type of ours
 * could name: `writeIfUnchanged` fills them.
 */
export interface FirestoreBatch {
  create(document: never, fields: never): unknown;
  update(document: never, fields: never, precondition: never): unknown;
  commit(): Promise<unknown>;
}

export interface FirestoreChange {
  readonly type: 'added' | 'modified' | 'removed';
  readonly doc: FirestoreSnapshot;
}

export interface FirestoreQuerySnapshot {
  readonly docs: readonly FirestoreSnapshot[];
  readonly readTime: FirestoreTimestamp;
  docChanges(): readonly FirestoreChange[];
}

export interface FirestoreQuery {
  orderBy(field: string): FirestoreQuery;
  startAt(value: unknown): FirestoreQuery;
  startAfter(value: unknown): FirestoreQuery;
  limit(count: number): FirestoreQuery;
  get(): Promise<FirestoreQuerySnapshot>;
  onSnapshot(onNext: (snapshot: FirestoreQuerySnapshot) => void, onError: (error: Error) => void): () => void;
}

export interface FirestoreCollection extends FirestoreQuery {
  doc(id: string): FirestoreDocument;
  where(field: string, operator: 'array-contains', value: unknown): FirestoreQuery;
}

export interface FirestoreClient {
  collection(path: string): FirestoreCollection;
  /** `readTogether` fills its parameters. */
  getAll(...documents: never[]): Promise<FirestoreSnapshot[]>;
  batch(): FirestoreBatch;
}

/** Several documents at one moment, in their order. */
export function readTogether(
  client: FirestoreClient,
  documents: readonly FirestoreDocument[],
): Promise<readonly FirestoreSnapshot[]> {
  return client.getAll(...(documents as readonly never[]));
}

/** Adds a write that fails unless the document is as it was read; it takes all others of the batch with it. */
export function writeIfUnchanged(
  batch: FirestoreBatch,
  document: FirestoreDocument,
  read: FirestoreSnapshot | undefined,
  fields: object,
): void {
  const [reference, values] = [document as never, fields as never];
  if (read?.updateTime) batch.update(reference, values, { lastUpdateTime: read.updateTime } as never);
  else batch.create(reference, values);
}

/** Microseconds since 1970, the unit of every time in a record. */
export function microsecondsOf({ seconds, nanoseconds }: FirestoreTimestamp): number {
  return seconds * 1_000_000 + Math.floor(nanoseconds / 1000);
}
