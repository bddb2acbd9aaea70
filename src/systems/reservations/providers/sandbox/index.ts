export type { BookAnswer } from './book/book-refusal.ts';
export type { BookSession, RefundPlan, RefundState } from './book/book-state.ts';
export type { PaymentBook } from './book/payment-book.ts';
export { type SandboxMail, type SandboxMailOptions, sandboxMail } from './sandbox-mail.ts';
export {
  readSandboxMemory,
  type SandboxMemory,
  type SandboxStorage,
  writeSandboxMemory,
} from './sandbox-memory.ts';
export {
  type CheckoutButton,
  type SandboxOutage,
  type SandboxPayments,
  type SandboxPaymentsOptions,
  sandboxPayments,
} from './sandbox-payments.ts';
export {
  type RenderMishap,
  type SandboxRender,
  type SandboxRendering,
  type SandboxRenderOptions,
  sandboxRender,
} from './sandbox-render.ts';
export type { StoredMail } from './stored-mail.ts';
export {
  type CourierOptions,
  type CourierSettings,
  type Delivery,
  type WebhookCourier,
  webhookCourier,
} from './webhook-courier.ts';
