import type { ComposedMail } from '../../mail/compose-mail.ts';
import type { MailTemplate } from '../../mail-port.ts';

/** A mail in the sandbox's mailbox. */
export interface StoredMail extends ComposedMail {
  readonly messageId: string;
  readonly key: string;
  readonly template: MailTemplate;
  readonly to: string;
  readonly atMs: number;
  /** More than one: the same message came again under the same id. A mail program shows it once. */
  readonly copies: number;
}
