export {
  assertAbove,
  assertBetween,
  assertEqual,
  assertGranted,
  assertLeaseError,
  assertRefused,
  assertThat,
  type GrantedReply,
  type RefusedReply,
} from './case-assertions.ts';
export type { CaseContext, LeaseStoreCase, StoreCase } from './case-context.ts';
export { type CrashingMemoryStore, crashingMemoryStore } from './crashing-memory-store.ts';
export { type EventProbe, eventProbe } from './event-probe.ts';
export { type FakeClock, type FakeClockOptions, type ForkOptions, fakeClock } from './fake-clock.ts';
export {
  type CallFault,
  type FaultPlan,
  type FaultRates,
  type NoticeFault,
  type PlannedCall,
  randomFaults,
} from './fault-plan.ts';
export { type FaultyStore, type FaultyStoreOptions, faultyStore } from './faulty-store.ts';
export { type InMemoryOpfs, type InMemoryOpfsDirectory, inMemoryOpfs } from './in-memory-opfs.ts';
export type { InMemoryOpfsFile } from './in-memory-opfs-file.ts';
export { leaseKeeperCases } from './lease-keeper-cases.ts';
export { type LeaseOperation, leaseOperations, noticeOperation } from './lease-operation.ts';
export { leaseStoreCases } from './lease-store-cases.ts';
export { type CheckOptions, type CheckResult, checkHistory } from './linearizability.ts';
export {
  type MockLockOutcome,
  type MockLockRequest,
  type MockNavigatorLocks,
  mockNavigatorLocks,
} from './mock-navigator-locks.ts';
export type { HeldCall, OpfsFault, OpfsOperation } from './opfs-faults.ts';
export { type RecordHistoryOptions, recordHistory } from './record-history.ts';
export { type SeededRandom, seededRandom } from './seeded-random.ts';
export type { StoreCall, StoreCalls, StoreOperation } from './store-history.ts';
