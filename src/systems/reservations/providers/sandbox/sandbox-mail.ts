/** A mail server that keeps everything and sends nothing, with a page to read it. */
import { platform } from '#platform';
import type { Clock } from '../../../../core/ports.ts';
import { composeMail } from '../../mail/compose-mail.ts';
import { messageId } from '../../mail/message-id.ts';
import type { MailPort } from '../../mail-port.ts';
import { unavailableProviderError } from '../provider-error.ts';
import { mailboxPage } from './mailbox-page.ts';
import type { StoredMail } from './stored-mail.ts';

export interface SandboxMailOptions {
  /** How many mails are kept; older ones go first. @default 1000 */
  readonly keep?: number;
  readonly clock?: Clock;
}

export interface SandboxMail extends MailPort {
  /** Oldest first. */
  readonly messages: readonly StoredMail[];
  /** The mailbox as a page. */
  handle(request: Request): Promise<Response>;
  /** The next messages get no answer: before they were taken, or after. */
  failNext(messages: number, outage: 'before' | 'after'): void;
  /** Mail to this address is refused for good. */
  refuse(address: string): void;
}

export function sandboxMail(options: SandboxMailOptions = {}): SandboxMail {
  const { keep = 1_000, clock = platform.clock } = options;
  const kept = new Map<string, StoredMail>();
  const refused = new Set<string>();
  let outages: ('before' | 'after')[] = [];
  const noAnswer = () => unavailableProviderError('The sandbox', 'send a mail', { why: 'an outage was asked for' });

  return {
    name: 'sandbox',
    get messages() {
      return [...kept.values()];
    },
    async send(message) {
      const outage = outages.shift();
      if (outage === 'before') throw noAnswer();
      if (refused.has(message.to)) return { kind: 'refused', reason: `550 ${message.to}: no such mailbox` };
      const { key, template, to } = message;
      const id = messageId(key, 'sandbox.invalid');
      const copies = (kept.get(id)?.copies ?? 0) + 1;
      kept.set(id, { ...composeMail(message), messageId: id, key, template, to, atMs: clock.wallMs(), copies });
      const [oldest] = kept.keys();
      if (kept.size > keep && oldest !== undefined) kept.delete(oldest);
      if (outage === 'after') throw noAnswer();
      return { kind: 'sent', messageId: id };
    },
    async handle(request) {
      return mailboxPage([...kept.values()].reverse(), request);
    },
    failNext(messages, outage) {
      outages = [...outages, ...Array.from({ length: messages }, () => outage)];
    },
    refuse(address) {
      refused.add(address);
    },
  };
}
