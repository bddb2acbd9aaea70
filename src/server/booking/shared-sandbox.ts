/**
 * The payment company of the sandbox, in the database: every server of it asks the same one, also after a restart.
 *
 * Each call locks the one row, wakes the sandbox with what it remembers, lets it act, writes down what it remembers
 * now, and commits. A refusal is written down like an answer: its key must give it again. Webhooks travel from the
 * process that caused them; one that is lost with its process is found by asking, as with the real provider.
 */
import type { Clock, Random, SqlDatabase } from '../../core/ports.ts';
import type { PaymentPort } from '../../systems/reservations/index.ts';
import {
  type BookAnswer,
  type BookSession,
  type CheckoutButton,
  type CourierSettings,
  readSandboxMemory,
  type SandboxPayments,
  sandboxPayments,
  webhookCourier,
  writeSandboxMemory,
} from '../../systems/reservations/providers/sandbox/index.ts';
import type { SandboxSession } from '../booking-contract.ts';
import { showSandboxSession } from './show-sandbox-session.ts';
import { lockSandboxBookStatement } from './sql/lock-sandbox-book.ts';
import { writeSandboxBookStatement } from './sql/write-sandbox-book.ts';

export interface SharedSandboxOptions {
  readonly database: SqlDatabase;
  /** The same on every server of the database. */
  readonly webhookSecret: string;
  /** Where this server is reached, without a slash at the end. */
  readonly publicUrl: string;
  /** Takes a webhook, straight into the receiver of this process. */
  readonly send: (request: Request) => Promise<Response>;
  readonly clock: Clock;
  readonly random: Random;
}

export interface SharedSandbox extends PaymentPort {
  press(sessionId: string, button: CheckoutButton): Promise<BookAnswer<BookSession>>;
  /** Undefined: there is none of that id. */
  findSession(sessionId: string): Promise<SandboxSession | undefined>;
  /** The newest first. */
  showSessions(limit: number): Promise<readonly SandboxSession[]>;
  /** How this server's webhooks travel. */
  readonly deliveries: Required<CourierSettings>;
  configure(settings: CourierSettings): void;
  close(): void;
}

/** The tables must be there: `bookingMigrations`. */
export function sharedSandbox(options: SharedSandboxOptions): SharedSandbox {
  const { database, webhookSecret, publicUrl, send, clock, random } = options;
  const schema = `"${database.schema}"`;
  const lock = lockSandboxBookStatement(schema);
  const write = writeSandboxBookStatement(schema);
  const courier = webhookCourier({ url: `${publicUrl}/webhooks/stripe`, secret: webhookSecret, clock, random, send });

  const wake = (memory: string | null, onWrite: (text: string) => void): SandboxPayments =>
    sandboxPayments({
      baseUrl: `${publicUrl}/sandbox`,
      webhookSecret,
      courier,
      storage: {
        read: () => (memory === null ? undefined : readSandboxMemory(memory)),
        write: (now) => onWrite(writeSandboxMemory(now)),
      },
      clock,
      random,
    });
  const ask = async <T>(work: (sandbox: SandboxPayments) => Promise<T> | T): Promise<T> => {
    const outcome = await database.transaction(async (tx) => {
      const { rows } = await tx.query<{ memory: string | null }>({ text: lock });
      const before = rows[0]?.memory ?? null;
      let after = before;
      const sandbox = wake(before, (text) => {
        after = text;
      });
      const done = await Promise.resolve(work(sandbox)).then(
        (value) => ({ ok: true, value }) as const,
        (error: unknown) => ({ ok: false, error }) as const,
      );
      // Also after a refusal: the key that was used must give it again.
      sandbox.remember();
      if (after !== before) await tx.query({ text: write, values: [after] });
      return done;
    });
    if (outcome.ok) return outcome.value;
    throw outcome.error;
  };
  // Needs nothing remembered: only the secret.
  const { name, livemode, minimumSessionMs, verifyWebhook } = wake(null, () => {});

  return {
    name,
    livemode,
    minimumSessionMs,
    verifyWebhook,
    createSession: (request) => ask((sandbox) => sandbox.createSession(request)),
    getSession: (id) => ask((sandbox) => sandbox.getSession(id)),
    expireSession: (request) => ask((sandbox) => sandbox.expireSession(request)),
    listSessions: (request) => ask((sandbox) => sandbox.listSessions(request)),
    createRefund: (request) => ask((sandbox) => sandbox.createRefund(request)),
    listRefunds: (id) => ask((sandbox) => sandbox.listRefunds(id)),
    listDisputes: (id) => ask((sandbox) => sandbox.listDisputes(id)),
    press: (id, button) => ask((sandbox) => sandbox.press(id, button)),
    findSession: (id) => ask((sandbox) => showSandboxSession(sandbox, id)),
    showSessions: (limit) =>
      ask((sandbox) =>
        [...sandbox.book.state.sessions.keys()]
          .slice(-limit)
          .reverse()
          .flatMap((id) => showSandboxSession(sandbox, id) ?? []),
      ),
    get deliveries() {
      return courier.settings;
    },
    configure: (settings) => courier.configure(settings),
    close: () => courier.close(),
  };
}
