export type {
  FirestoreBatch,
  FirestoreClient,
  FirestoreCollection,
  FirestoreDocument,
  FirestoreQuery,
  FirestoreSnapshot,
} from './firestore-client.ts';
export { type FirestoreStoreOptions, firestoreStore } from './firestore-store.ts';
export { type GuardedReadOptions, type GuardedReadReply, guardedRead } from './guarded-read.ts';
export {
  type GuardedWriteOptions,
  type GuardedWriteReply,
  type GuardOptions,
  guardedWrite,
  type HeldLease,
} from './guarded-write.ts';
export { type OpenFirestoreStoreOptions, openFirestoreStore } from './open-firestore-store.ts';
