import { escapeHtml } from '../../mail/escape-html.ts';
import { chooseLocale, sandboxPage } from './sandbox-page.ts';
import type { StoredMail } from './stored-mail.ts';

const words = {
  en: {
    title: 'Mailbox',
    notice: 'In the sandbox mails stay here and go nowhere.',
    none: 'No mail sent yet.',
    copies: 'came',
  },
  ja: {
    title: 'メール',
    notice: '試験環境のメールはここに残り、外には出ません。',
    none: '送信したメールはありません。',
    copies: '到着',
  },
} as const;

/** Newest first. The text of each mail is shown as it is: nothing in it becomes part of this page. */
export function mailboxPage(messages: readonly StoredMail[], request: Request): Response {
  const locale = chooseLocale(request, null);
  const { title, notice, none, copies } = words[locale];
  const items = messages.map(
    (mail) =>
      `<li><h2>${escapeHtml(mail.subject)}</h2><p class="fine">${escapeHtml(mail.to)} · ${mail.template}${
        mail.copies > 1 ? ` · ${copies} ×${mail.copies}` : ''
      }</p><pre>${escapeHtml(mail.text)}</pre></li>`,
  );
  const body = items.length === 0 ? `<p>${none}</p>` : `<ul>${items.join('')}</ul>`;
  return sandboxPage({ locale, title, notice, body: `<main class="wide"><h1>${title}</h1>${body}</main>` });
}
