/** A real SMTP server on loopback that keeps what it is sent, and can fail at each step of the conversation. */
import type { Socket } from 'node:net';
import type { SMTPServer, SMTPServerDataStream, SMTPServerSession } from 'smtp-server';

/**
 * `unknown-recipient` 550 to the recipient · `busy` 451 to the message · `refused-message` 554 to the message ·
 * `refused-sender` 550 to the sender · `drop-before` the connection breaks before the message is kept · `drop-after`
 * it is kept and the answer is lost · `hang-after` it is kept and the answer never comes
 */
export type MailFault =
  | 'unknown-recipient'
  | 'busy'
  | 'refused-message'
  | 'refused-sender'
  | 'drop-before'
  | 'drop-after'
  | 'hang-after';

export interface ReceivedMail {
  readonly messageId: string;
  readonly from: string;
  readonly to: readonly string[];
  /** As it came, headers and all. */
  readonly raw: string;
}

export interface FakeMail {
  readonly host: string;
  readonly port: number;
  /** Every message that was kept, repeats included. */
  readonly messages: readonly ReceivedMail[];
  /** How often each Message-ID came: what a mailbox shows is the keys. */
  readonly copies: ReadonlyMap<string, number>;
  /** The next messages go wrong. @default once */
  fail(fault: MailFault, times?: number): void;
  close(): Promise<void>;
}

const host = '127.0.0.1';

export async function startFakeMail(): Promise<FakeMail> {
  const { SMTPServer: Server } = await loadSmtpServer();
  const messages: ReceivedMail[] = [];
  const sockets = new Map<number, Socket>();
  let faults: MailFault[] = [];

  const take = (...kinds: readonly MailFault[]): MailFault | undefined => {
    const [next] = faults;
    if (next === undefined || !kinds.includes(next)) return undefined;
    faults = faults.slice(1);
    return next;
  };
  const drop = (session: SMTPServerSession): void => void sockets.get(session.remotePort)?.destroy();
  const receive = async (stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string | undefined> => {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks).toString('utf8');
    const fault = take('busy', 'refused-message', 'drop-before', 'drop-after', 'hang-after');
    if (fault === 'busy') throw smtpError(451, 'try again later');
    if (fault === 'refused-message') throw smtpError(554, 'content refused');
    if (fault === 'drop-before') {
      drop(session);
      return undefined;
    }
    const { mailFrom, rcptTo } = session.envelope;
    messages.push({
      messageId: /^Message-ID:\s*(<[^>]+>)/im.exec(raw)?.[1] ?? '',
      from: mailFrom ? mailFrom.address : '',
      to: rcptTo.map(({ address }) => address),
      raw,
    });
    if (fault === 'drop-after') drop(session);
    return fault === undefined ? 'kept' : undefined;
  };
  const server = new Server({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    closeTimeout: 100,
    onMailFrom: (_address, _session, callback) =>
      callback(take('refused-sender') ? smtpError(550, 'sender not allowed') : null),
    onRcptTo: ({ address }, _session, callback) =>
      callback(take('unknown-recipient') ? smtpError(550, `${address}: no such mailbox`) : null),
    onData: (stream, session, callback) => {
      receive(stream, session).then(
        // No answer where the connection is gone or shall hang.
        (answer) => (answer === undefined ? undefined : callback(null)),
        (error: Error) => callback(error),
      );
    },
  });
  // A client that vanishes is part of the experiment.
  server.on('error', () => undefined);
  server.server.on('connection', (socket: Socket) => {
    const { remotePort = 0 } = socket;
    sockets.set(remotePort, socket);
    socket.on('close', () => sockets.delete(remotePort));
  });
  const port = await listen(server);

  return {
    host,
    port,
    messages,
    get copies() {
      const counts = new Map<string, number>();
      for (const { messageId } of messages) counts.set(messageId, (counts.get(messageId) ?? 0) + 1);
      return counts;
    },
    fail(fault, times = 1) {
      faults = [...faults, ...Array.from({ length: times }, () => fault)];
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets.values()) socket.destroy();
      }),
  };
}

async function loadSmtpServer(): Promise<typeof import('smtp-server')> {
  try {
    return await import('smtp-server');
  } catch (cause) {
    throw new Error('smtp-server is not installed: run `npm install --save-dev smtp-server`.', { cause });
  }
}

function listen(server: SMTPServer): Promise<number> {
  return new Promise((resolve, reject) => {
    server.server.once('error', reject);
    server.listen(0, host, () => {
      const address = server.server.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });
}

function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
