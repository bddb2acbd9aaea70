/** What customers are told, by code. The Japanese texts of the first two are fixed by the product's first design. */
import { AppError, type AppErrorCode, type AppErrorOptions, type Locale } from './app-error.ts';

const texts = {
  SLOT_ALREADY_TAKEN: {
    en: 'This slot is already booked.',
    ja: 'このスロットは既に予約されています',
  },
  CANNOT_CANCEL: {
    en: 'This reservation cannot be cancelled.',
    ja: '予約をキャンセルできません',
  },
  SLOT_SETTLING: {
    en: 'The last customer of this slot may still be paying. Try again in a moment.',
    ja: 'このスロットは直前のお客様のお支払いを確認中です。少し待ってからもう一度お試しください',
  },
  IDEMPOTENCY_KEY_REUSED: {
    en: 'This idempotency key belongs to another request. Make a new one for every new request.',
    ja: 'この冪等性キーは別のリクエストで使用されています。新しいキーを作成してください',
  },
  CANNOT_CHECK_OUT: {
    en: 'There is nothing to pay for this reservation any more.',
    ja: 'この予約のお支払いはできません',
  },
  SLOT_NOT_OFFERED: {
    en: 'This slot cannot be booked: there is no such slot on that day, or it has begun.',
    ja: 'このスロットは予約できません',
  },
  NOT_FOUND: { en: 'There is no such reservation.', ja: '予約が見つかりません' },
} satisfies Partial<Record<AppErrorCode, Record<Locale, string>>>;

export type CustomerErrorCode = keyof typeof texts;

export function errorText(code: CustomerErrorCode, locale: Locale): string {
  return texts[code][locale];
}

export function customerError(
  code: CustomerErrorCode,
  locale: Locale,
  options: Omit<AppErrorOptions, 'code'> = {},
): AppError {
  return new AppError(errorText(code, locale), { code, ...options });
}
