/** The pages of the example: plain HTML, no script, two languages. */
const words = {
  en: {
    title: 'Kawabe Wall',
    sandbox: 'This is a practice site. No real money is moved, and mails stay in the mailbox.',
    pick: 'Pick a time',
    book: 'Book this time',
    free: 'free',
    held: 'kept for somebody',
    settling: 'being settled',
    taken: 'booked',
    past: 'over',
    yours: 'yours',
    booking: 'Your booking',
    pay: 'Pay',
    cancel: 'Cancel this booking',
    back: 'All times',
    mailbox: 'Mailbox',
    books: 'Books',
    you: 'You are',
    pass: { 16: 'Let 16 minutes pass', 1500: 'Let 25 hours pass' },
    fail: 'Let the next 3 films fail',
    status: {
      hold: 'Kept for you. Please pay within 15 minutes.',
      expiring: 'The 15 minutes are over. Your payment is being checked.',
      payment_pending: 'Kept for you until your payment arrives.',
      confirmed: 'Booked and paid. Nothing is left to do.',
      served: 'Shown. Thank you.',
      expired: 'The 15 minutes are over. The time is free for others again.',
      cancelled: 'Cancelled.',
    },
    film: {
      pending: '',
      processing: 'Your film is being prepared.',
      ready: 'Your film is ready.',
      failed: 'Your film needs more time.',
    },
    other: { name: '日本語', locale: 'ja' },
  },
  ja: {
    title: '川辺の壁',
    sandbox: '練習用のサイトです。実際のお支払いは発生せず、メールも外に出ません。',
    pick: '枠を選ぶ',
    book: 'この枠を予約する',
    free: '空き',
    held: 'ほかの方がおさえています',
    settling: '確認中',
    taken: '予約済み',
    past: '終了',
    yours: 'ご予約',
    booking: 'ご予約',
    pay: '支払う',
    cancel: 'この予約を取り消す',
    back: '枠の一覧',
    mailbox: 'メール',
    books: '帳簿',
    you: 'お客様',
    pass: { 16: '16分進める', 1500: '25時間進める' },
    fail: '次の動画3回を失敗させる',
    status: {
      hold: '枠をおさえています。15分以内にお支払いください。',
      expiring: '15分の期限が切れました。お支払いを確認しています。',
      payment_pending: 'お支払いを確認できるまで枠をおさえています。',
      confirmed: 'ご予約が確定しました。お手続きは不要です。',
      served: '上映しました。ありがとうございました。',
      expired: '15分の期限が切れました。ほかの方も予約できます。',
      cancelled: '取り消しました。',
    },
    film: {
      pending: '',
      processing: '動画を準備しています。',
      ready: '動画の準備ができました。',
      failed: '動画の準備に時間がかかっています。',
    },
    other: { name: 'English', locale: 'en' },
  },
};

export function slotsPage({ locale, customers, customer, day, offers, key }) {
  const w = words[locale];
  const rows = offers.map((offer) => {
    const time = formatTime(offer.startsAtMs, locale);
    const own = offer.ownReservationId;
    const state = own === undefined ? w[offer.availability] : w.yours;
    const act =
      own !== undefined
        ? `<a href="/bookings/${own}">${w.booking}</a>`
        : offer.availability === 'free'
          ? form('/book', w.book, { slot: offer.slotNumber, day, key })
          : '';
    return `<tr><td>${time}</td><td>${formatMoney(offer.amount, locale)}</td><td>${state}</td><td>${act}</td></tr>`;
  });
  const names = customers.map(({ id, name }) =>
    id === customer ? `<b>${escapeText(name)}</b>` : form('/customer', name, { id }),
  );
  const body = `<div class="row">${w.you}: ${names.join(' ')}</div><h1>${w.pick}</h1><table>${rows.join('')}</table>`;
  return page(locale, body);
}

export function bookingPage({ locale, booking, said }) {
  const w = words[locale];
  const { id, status, title, film, startsAtMs, amount } = booking;
  const isPayable = status === 'hold';
  const isCancellable = isPayable || status === 'confirmed' || status === 'payment_pending';
  return page(
    locale,
    `${said ? `<p role="alert" class="said">${escapeText(said)}</p>` : ''}
<h1>${w.booking} ${id}</h1><p>${escapeText(title)} · ${formatTime(startsAtMs, locale)} · ${formatMoney(amount, locale)}</p>
<p role="status" data-status="${status}" data-film="${film}">${w.status[status]} ${status === 'confirmed' ? w.film[film] : ''}</p>
<div class="row">${isPayable ? form(`/bookings/${id}/pay`, `${w.pay}: ${formatMoney(amount, locale)}`) : ''}
${isCancellable ? form(`/bookings/${id}/cancel`, w.cancel) : ''}</div>`,
  );
}

function page(locale, body) {
  const w = words[locale];
  const times = Object.entries(w.pass).map(([minutes, label]) => form('/time', label, { minutes }));
  const links = `<a href="/">${w.back}</a> <a href="/mailbox">${w.mailbox}</a> <a href="/books">${w.books}</a>
<a href="?lang=${w.other.locale}" lang="${w.other.locale}">${w.other.name}</a>`;
  return `<!doctype html><html lang="${locale}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${w.title}</title>
<style>body{font:16px/1.7 system-ui,sans-serif;max-width:44rem;margin:0 auto;padding:1rem}table{width:100%;border-collapse:collapse}
td{padding:.5rem;border-top:1px solid #ccc}button{font:inherit;min-height:44px;padding:.25rem 1rem}form{display:inline}
.bar{background:#fcf0d6;color:#814600;padding:.5rem 1rem}.row{margin:1rem 0;display:flex;gap:.5rem;flex-wrap:wrap;align-items:center}.said{background:#fde9ea;padding:.5rem 1rem}</style>
</head><body><p class="bar">${w.sandbox}</p><div class="row">${links}</div>${body}
<hr><div class="row">${times.join(' ')} ${form('/films/fail', w.fail)}</div></body></html>`;
}

function form(action, label, fields = {}) {
  const hidden = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escapeText(value)}">`,
  );
  return `<form method="post" action="${action}">${hidden.join('')}<button>${escapeText(label)}</button></form>`;
}

function formatTime(atMs, locale) {
  const options = { timeZone: 'Asia/Tokyo', dateStyle: 'medium', timeStyle: 'short' };
  return new Intl.DateTimeFormat(locale, options).format(atMs);
}

function formatMoney(amount, locale) {
  return new Intl.NumberFormat(locale, { style: 'currency', currency: 'JPY' }).format(amount);
}

function escapeText(value) {
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
