/** The hosted payment page of the sandbox: what a customer would see at the provider, with a button for each outcome. */
import { escapeHtml } from '../../mail/escape-html.ts';
import { formatMoney } from '../../mail/format-money.ts';
import { formatTime } from '../../mail/format-time.ts';
import type { BookSession } from './book/book-state.ts';
import type { PaymentBook } from './book/payment-book.ts';
import { type CheckoutWords, checkoutWords } from './checkout-words.ts';
import { chooseLocale, sandboxPage } from './sandbox-page.ts';

export interface CheckoutPageOptions {
  readonly book: PaymentBook;
  /** For the times on the page. */
  readonly timeZone: string;
}

type Answer = (sessionId: string, request: Request) => Promise<Response>;

/** Answers GET (the page) and POST (a button) for one session. */
export function checkoutPage({ book, timeZone }: CheckoutPageOptions): Answer {
  return async (sessionId, request) => {
    book.sessions.tick();
    const found = book.sessions.find(sessionId);
    if (!found.ok) {
      const locale = chooseLocale(request, null);
      return message(locale, checkoutWords[locale].unknown, undefined, 404);
    }
    const session = found.value;
    const locale = chooseLocale(request, session.locale);
    if (request.method === 'GET' || request.method === 'HEAD') return show(session, locale, request);
    if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'GET, HEAD, POST' } });
    return press(session, await buttonOf(request), locale, request);
  };

  function press(session: BookSession, button: string, locale: 'en' | 'ja', request: Request): Response {
    const { sessions } = book;
    switch (button) {
      case 'pay':
        return sessions.pay(session.id).ok ? seeOther(onwardsOf(session)) : show(session, locale, request);
      case 'fail':
        return sessions.decline(session.id).ok
          ? show(session, locale, request, 'declined')
          : show(session, locale, request);
      case 'later':
        sessions.payLater(session.id);
        return seeOther(ownAddress(request, locale));
      case 'voucher-pay':
        return sessions.settleVoucher(session.id, 'paid').ok
          ? seeOther(onwardsOf(session))
          : seeOther(ownAddress(request, locale));
      case 'voucher-lapse':
        sessions.settleVoucher(session.id, 'failed');
        return seeOther(ownAddress(request, locale));
      default:
        return show(session, locale, request, undefined, 400);
    }
  }

  function show(
    session: BookSession,
    locale: 'en' | 'ja',
    request: Request,
    said?: 'declined',
    status = 200,
  ): Response {
    const words = checkoutWords[locale];
    const amount = formatMoney(session.amount_total, session.currency, locale);
    const onwards = link(onwardsOf(session), words.onwards);
    if (session.status === 'expired') return message(locale, words.ended, link(session.cancel_url, words.onwards));
    if (session.status === 'complete') {
      const intent = book.state.intents.get(session.payment_intent ?? '');
      if (session.payment_status === 'paid') return message(locale, words.paid(amount), onwards);
      if (intent?.status !== 'requires_action') return message(locale, words.voucherLapsed, onwards);
      const buttons = [button('voucher-pay', words.voucherPay, true), button('voucher-lapse', words.voucherLapse)];
      return message(locale, words.voucher(amount), `<form method="post">${buttons.join('')}</form>${onwards}`);
    }
    const title = book.state.plans.get(session.id)?.title ?? '';
    const buttons = [
      button('pay', words.pay(amount), true),
      button('fail', words.fail),
      ...(session.payment_method_types.includes('konbini') ? [button('later', words.later)] : []),
    ];
    const body = [
      said ? `<p class="say" role="alert">${escapeHtml(words[said])}</p>` : '',
      `<h1>${escapeHtml(title)}</h1><p class="amount">${escapeHtml(amount)}</p>`,
      session.customer_email ? `<p class="fine">${escapeHtml(words.email(session.customer_email))}</p>` : '',
      `<p class="fine">${escapeHtml(words.openUntil(formatTime(session.expires_at * 1000, timeZone, locale)))}</p>`,
      `<form method="post">${buttons.join('')}</form>${link(session.cancel_url, words.back)}`,
    ];
    return frame(locale, words, `${body.join('')}${language(request, words)}`, status);
  }
}

function message(locale: 'en' | 'ja', text: string, more = '', status = 200): Response {
  return frame(locale, checkoutWords[locale], `<p role="status">${escapeHtml(text)}</p>${more}`, status);
}

function frame(locale: 'en' | 'ja', words: CheckoutWords, body: string, status: number): Response {
  return sandboxPage({ locale, title: words.title, notice: words.sandbox, body: `<main>${body}</main>`, status });
}

function button(name: string, label: string, isFirst = false): string {
  return `<button name="button" value="${name}"${isFirst ? ' class="first"' : ''}>${escapeHtml(label)}</button>`;
}

/** Only addresses of the web become links: whoever made the session chose them. */
function link(url: string | null, label: string): string {
  return url !== null && /^https?:\/\//.test(url) ? `<p><a href="${escapeHtml(url)}">${escapeHtml(label)}</a></p>` : '';
}

function language(request: Request, words: CheckoutWords): string {
  const { name, locale } = words.other;
  return `<p class="fine"><a href="${escapeHtml(ownAddress(request, locale))}" lang="${locale}">${name}</a></p>`;
}

function ownAddress(request: Request, locale: 'en' | 'ja'): string {
  return `${new URL(request.url).pathname}?lang=${locale}`;
}

function onwardsOf(session: BookSession): string {
  return session.success_url.replaceAll('{CHECKOUT_SESSION_ID}', session.id);
}

function seeOther(location: string): Response {
  return new Response(null, { status: 303, headers: { location } });
}

/** A form of one button: anything longer was not sent by this page. */
async function buttonOf(request: Request): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > 1_000) return '';
  return new URLSearchParams((await request.text()).slice(0, 1_000)).get('button') ?? '';
}
