export { type FakeMail, type MailFault, type ReceivedMail, startFakeMail } from './fake-mail.ts';
export { type FakePayments, type FakePaymentsOptions, type SeenRequest, startFakePayments } from './fake-payments.ts';
export {
  type FakeRender,
  type FakeRendering,
  type FakeRenderOptions,
  type FakeRenderState,
  startFakeRender,
} from './fake-render.ts';
export type { FaultPoint, PlannedFault, ProviderFaults } from './provider-faults.ts';
