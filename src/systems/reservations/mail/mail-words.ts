/** The facts of a mail as people read them, and what a template makes of them. */
import type { MailTemplate } from '../mail-port.ts';

export interface MailFacts {
  readonly name: string;
  /** When the show begins. */
  readonly time: string;
  readonly film: string;
  readonly amount: string;
  readonly refund: string;
  /** Absent where the provider named no end. */
  readonly until?: string;
}

export interface MailText {
  readonly subject: string;
  /** What happened, why, what comes next: in that order. */
  readonly paragraphs: readonly string[];
}

export interface MailWords {
  greeting(facts: MailFacts): string;
  /** The last lines: which booking this is about. */
  booking(reservationId: number, facts: MailFacts): string;
  readonly templates: Readonly<Record<MailTemplate, (facts: MailFacts) => MailText>>;
}
