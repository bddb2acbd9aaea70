import { expect, it } from 'vitest';
import { readPaymentMetadata, writePaymentMetadata } from './payment-metadata.ts';

it('reads what it wrote, and nothing that another shop wrote', () => {
  const metadata = writePaymentMetadata('kannuki', { reservationId: 41, ledgerId: 9 });
  expect(readPaymentMetadata('kannuki', metadata, 'reservationId')).toBe(41);
  expect(readPaymentMetadata('kannuki', metadata, 'ledgerId')).toBe(9);
  expect(readPaymentMetadata('other', metadata, 'reservationId')).toBeUndefined();
  expect(readPaymentMetadata('kannuki', { reservationId: '41' }, 'reservationId')).toBeUndefined();
});

it.each(['', '0', '-1', '1.5', '1e3', ' 1', '9007199254740993', '99999999999999999', 'x', '１'])(
  '%j is no id',
  (text) => {
    expect(
      readPaymentMetadata('kannuki', { kannuki: 'kannuki', reservationId: text }, 'reservationId'),
    ).toBeUndefined();
  },
);

it.each([null, undefined, {}])('%j has none', (metadata) => {
  expect(readPaymentMetadata('kannuki', metadata, 'reservationId')).toBeUndefined();
});
