/** The mailbox of the sandbox, in the database: every server of it shows the same mails, also after a restart. */
import type { SqlDatabase } from '../../core/ports.ts';
import { composeMail, type MailPort, messageId } from '../../systems/reservations/index.ts';
import { listMailsStatement } from './sql/list-mails.ts';
import { storeMailStatement } from './sql/store-mail.ts';

export interface MailboxEntry {
  readonly id: number;
  readonly messageId: string;
  readonly to: string;
  readonly template: string;
  readonly locale: 'en' | 'ja';
  readonly subject: string;
  readonly text: string;
  /** More than one: the same message came again under the same id. */
  readonly copies: number;
  readonly atMs: number;
  /** The cause: `POST /api/v1/notifications/{id}/again` sends it once more. Null: forgotten, or not finished yet. */
  readonly notificationId: number | null;
  readonly reservationId: number | null;
}

export interface Mailbox extends MailPort {
  list(options: { readonly beforeId?: number; readonly limit: number }): Promise<readonly MailboxEntry[]>;
}

/** The tables must be there: `bookingMigrations`. */
export function databaseMailbox({ database }: { readonly database: SqlDatabase }): Mailbox {
  const schema = `"${database.schema}"`;
  const store = storeMailStatement(schema);
  const list = listMailsStatement(schema);
  return {
    name: 'sandbox',
    async send(message) {
      const id = messageId(message.key, 'sandbox.invalid');
      const { subject, text } = composeMail(message);
      const values = [id, message.to, message.template, message.locale, subject, text];
      await database.query({ text: store, values });
      return { kind: 'sent', messageId: id };
    },
    async list({ beforeId, limit }) {
      return (await database.query<MailboxEntry>({ text: list, values: [beforeId ?? null, limit] })).rows;
    },
  };
}
