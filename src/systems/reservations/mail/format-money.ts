import type { Locale } from '../app-error.ts';

/** `¥8,800` in English, `8,800円` in Japanese. Amounts are in minor units: yen have none, dollars have cents. */
export function formatMoney(amount: number, currency: string, locale: Locale): string {
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    currencyDisplay: locale === 'ja' ? 'name' : 'narrowSymbol',
  });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2)).replace(' 円', '円');
}
