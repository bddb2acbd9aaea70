import type { SandboxSession } from '../../../src/server/index.ts';

export type Press = 'pay' | 'fail' | 'later' | 'voucher-pay' | 'voucher-lapse';

/** The buttons of a payment page of the sandbox: none once it is paid or closed. */
export function pressesOf({ status, payment, later }: SandboxSession): readonly Press[] {
  if (status === 'open') return later ? ['pay', 'fail', 'later'] : ['pay', 'fail'];
  return status === 'complete' && payment === 'unpaid' ? ['voucher-pay', 'voucher-lapse'] : [];
}
