/**
 * Mail by SMTP, through nodemailer. SMTP is at-least-once: a server may take a message and lose the connection before
 * it says so. The Message-ID is made from the cause and stays the same, so that the repeat is the same message.
 */
import { AppError } from '../../app-error.ts';
import { composeMail } from '../../mail/compose-mail.ts';
import { messageId } from '../../mail/message-id.ts';
import type { MailAnswer, MailPort } from '../../mail-port.ts';
import { unavailableProviderError } from '../provider-error.ts';
import { loadNodemailer } from './load-nodemailer.ts';

export interface SmtpMailOptions {
  readonly host: string;
  /** @default 465 for 'implicit', else 587 */
  readonly port?: number;
  /** `starttls` insists on it: nothing is sent in the clear. `none` is for a server on this machine. @default 'starttls' */
  readonly tls?: 'implicit' | 'starttls' | 'none';
  readonly user?: string;
  readonly password?: string;
  /** The sender: `booking@example.jp`, or with a name, `Kawabe Wall <booking@example.jp>`. */
  readonly from: string;
  readonly replyTo?: string;
  /** For each step of the conversation. 1 s to 10 min. @default 20000 */
  readonly timeoutMs?: number;
}

interface SmtpError {
  readonly responseCode?: number;
  readonly command?: string;
  readonly response?: string;
  readonly message: string;
}

export async function smtpMail(options: SmtpMailOptions): Promise<MailPort> {
  const { host, tls = 'starttls', user, password, from, replyTo, timeoutMs = 20_000 } = options;
  const domain = /@([A-Za-z0-9.-]+)>?\s*$/.exec(from)?.[1];
  if (domain === undefined) {
    throw new AppError(`smtpMail: from must hold an address, not "${from}".`, { code: 'INVALID_ARGUMENT' });
  }
  if (!(timeoutMs >= 1_000 && timeoutMs <= 600_000)) {
    throw new AppError('smtpMail: timeoutMs must be between 1 s and 10 min.', { code: 'INVALID_ARGUMENT' });
  }
  const { createTransport } = await loadNodemailer();
  const transport = createTransport({
    host,
    port: options.port ?? (tls === 'implicit' ? 465 : 587),
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // Texts hold what customers wrote: none of it may name a file or an address to load.
    disableFileAccess: true,
    disableUrlAccess: true,
  });

  return {
    name: 'smtp',
    async send(message) {
      if (!isAddress(message.to)) return { kind: 'refused', reason: 'The address is not one that mail can go to.' };
      const id = messageId(message.key, domain);
      try {
        await transport.sendMail({
          ...composeMail(message),
          from,
          to: { name: '', address: message.to },
          messageId: id,
          // Out-of-office answers to a machine help nobody.
          headers: { 'Auto-Submitted': 'auto-generated' },
          ...(replyTo === undefined ? {} : { replyTo }),
        });
        return { kind: 'sent', messageId: id };
      } catch (error) {
        return judge(error, message.template);
      }
    },
  };
}

/**
 * A 5xx to the recipient or to the message itself is final. A 5xx to the log-in or to the sender is our own
 * configuration: the mail is as good as before, and goes out once that is put right.
 */
function judge(error: unknown, template: string): MailAnswer {
  if (error instanceof AppError) throw error;
  const { responseCode = 0, command = '', response, message } = error as SmtpError;
  const isAboutMail = command.startsWith('RCPT') || command === 'DATA';
  if (responseCode >= 500 && isAboutMail) return { kind: 'refused', reason: response ?? message };
  throw unavailableProviderError('The mail server', `send "${template}"`, { why: response ?? message, cause: error });
}

/** One address, no list, nothing that could start another header. */
function isAddress(text: string): boolean {
  return text.length <= 254 && /^[^\s,;:<>()[\]"\\@]+@[^\s,;:<>()[\]"\\@]+$/.test(text);
}
