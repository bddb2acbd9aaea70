/** What the sandbox's payment page says, in both languages. */
export interface CheckoutWords {
  readonly sandbox: string;
  readonly title: string;
  readonly pay: (amount: string) => string;
  readonly fail: string;
  readonly later: string;
  readonly back: string;
  readonly declined: string;
  readonly email: (address: string) => string;
  readonly openUntil: (time: string) => string;
  readonly ended: string;
  readonly paid: (amount: string) => string;
  readonly onwards: string;
  readonly voucher: (amount: string) => string;
  readonly voucherPay: string;
  readonly voucherLapse: string;
  readonly voucherLapsed: string;
  readonly unknown: string;
  readonly other: { readonly name: string; readonly locale: 'en' | 'ja' };
}

export const checkoutWords: Readonly<Record<'en' | 'ja', CheckoutWords>> = {
  en: {
    sandbox: 'This is the sandbox. No real money is moved.',
    title: 'Payment',
    pay: (amount) => `Pay ${amount}`,
    fail: 'Pay with a card that is declined',
    later: 'Pay later at a convenience store',
    back: 'Back without paying',
    declined: 'The card was declined. You have not been charged. You can try again.',
    email: (address) => `Receipt to ${address}`,
    openUntil: (time) => `This page is open until ${time}.`,
    ended: 'This payment page is closed. You have not been charged.',
    paid: (amount) => `${amount} is paid. Nothing is left to do here.`,
    onwards: 'Back to your booking',
    voucher: (amount) => `You chose to pay ${amount} at a convenience store. It is not paid yet.`,
    voucherPay: 'Pay the voucher now',
    voucherLapse: 'Let the voucher lapse',
    voucherLapsed: 'The voucher lapsed. You have not been charged.',
    unknown: 'There is no such payment.',
    other: { name: '日本語', locale: 'ja' },
  },
  ja: {
    sandbox: '試験環境です。実際のお支払いは発生しません。',
    title: 'お支払い',
    pay: (amount) => `${amount}を支払う`,
    fail: '拒否されるカードで支払う',
    later: 'コンビニで後払いする',
    back: '支払わずに戻る',
    declined: 'カードが拒否されました。お支払いは発生していません。もう一度お試しいただけます。',
    email: (address) => `領収書の送り先：${address}`,
    openUntil: (time) => `このページは ${time} まで有効です。`,
    ended: 'このお支払いページは終了しました。お支払いは発生していません。',
    paid: (amount) => `${amount}のお支払いが完了しました。ここでのお手続きはありません。`,
    onwards: 'ご予約に戻る',
    voucher: (amount) => `コンビニで${amount}をお支払いください。まだ支払われていません。`,
    voucherPay: 'コンビニで支払ったことにする',
    voucherLapse: '支払わずに期限切れにする',
    voucherLapsed: 'お支払いの期限が切れました。お支払いは発生していません。',
    unknown: 'このお支払いは見つかりません。',
    other: { name: 'English', locale: 'en' },
  },
};
