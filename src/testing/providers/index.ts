export { type FakePayments, type FakePaymentsOptions, type SeenRequest, startFakePayments } from './fake-payments.ts';
export type { FaultPoint, PlannedFault, ProviderFaults } from './provider-faults.ts';
