/** nodemailer against a real SMTP server on loopback, with every step of the conversation failing in turn. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FakeMail, startFakeMail } from '../../../../testing/providers/fake-mail.ts';
import { messageId } from '../../mail/message-id.ts';
import type { MailMessage, MailPort } from '../../mail-port.ts';
import { type SmtpMailOptions, smtpMail } from './smtp-mail.ts';

let server: FakeMail;
let mail: MailPort;

const open = (options: Partial<SmtpMailOptions> = {}): Promise<MailPort> =>
  smtpMail({
    host: server.host,
    port: server.port,
    tls: 'none',
    from: 'Kawabe Wall <booking@example.jp>',
    timeoutMs: 1_000,
    ...options,
  });

beforeEach(async () => {
  server = await startFakeMail();
  mail = await open();
});
afterEach(() => server.close());

const message: MailMessage = {
  key: 'reservation-expired-refunded:41',
  to: 'hana@example.jp',
  locale: 'ja',
  template: 'reservation-expired-refunded',
  data: {
    reservationId: 41,
    customerName: '花\r\nBcc: all@example.org',
    videoTitle: '光の川',
    projectionDate: '2026-11-21',
    slotNumber: 1,
    slotStartsAtMs: 1_795_255_200_000,
    timeZone: 'Asia/Tokyo',
    refundAmount: 8800,
    currency: 'jpy',
  },
};
const id = messageId(message.key, 'example.jp');
const later = { code: 'PROVIDER_UNAVAILABLE', retryable: true };

it('sends text and HTML under an id made of the cause', async () => {
  expect(await mail.send(message)).toEqual({ kind: 'sent', messageId: id });
  const [received] = server.messages;
  expect(received).toMatchObject({ messageId: id, from: 'booking@example.jp', to: ['hana@example.jp'] });
  const raw = received?.raw ?? '';
  expect(raw).toMatch(/^From: Kawabe Wall <booking@example.jp>\r$/m);
  expect(raw).toMatch(/^To: hana@example.jp\r$/m);
  expect(raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
  expect(raw).toMatch(/^Content-Type: text\/plain/m);
  expect(raw).toMatch(/^Content-Type: text\/html/m);
  // What a customer calls himself does not become a header.
  expect(raw).not.toMatch(/^Bcc:/im);
  expect(raw.split(/\r?\n\r?\n/)[0]).not.toContain('all@example.org');
});

it('is at-least-once: an answer lost after DATA gives a repeat under the same id', async () => {
  server.fail('drop-after');
  await expect(mail.send(message)).rejects.toMatchObject(later);
  expect(server.messages).toHaveLength(1);
  expect(await mail.send(message)).toEqual({ kind: 'sent', messageId: id });
  expect([...server.copies]).toEqual([[id, 2]]);
});

it('gives other causes other ids', async () => {
  await mail.send(message);
  await mail.send({ ...message, key: 'reservation-expired-refunded:42' });
  expect(server.copies.size).toBe(2);
});

it.each(['busy', 'drop-before', 'refused-sender'] as const)(
  '%s: nothing sent, and the same again sends it',
  async (fault) => {
    server.fail(fault);
    await expect(mail.send(message)).rejects.toMatchObject(later);
    expect(server.messages).toEqual([]);
    expect(await mail.send(message)).toMatchObject({ kind: 'sent' });
  },
);

it('hang: unknown after the time limit', async () => {
  server.fail('hang-after');
  await expect(mail.send(message)).rejects.toMatchObject(later);
  expect([...server.copies]).toEqual([[id, 1]]);
});

it.each(['unknown-recipient', 'refused-message'] as const)('%s: refused for good', async (fault) => {
  server.fail(fault);
  expect(await mail.send(message)).toMatchObject({ kind: 'refused', reason: expect.stringMatching(/^5\d\d /) });
  expect(server.messages).toEqual([]);
});

it.each(['a@example.jp, b@example.jp', 'a@example.jp\r\nBcc: b@example.jp', 'nobody', '<a@example.jp>'])(
  'does not send to %j',
  async (to) => {
    expect(await mail.send({ ...message, to })).toMatchObject({ kind: 'refused' });
    expect(server.messages).toEqual([]);
  },
);

it('insists on encryption unless told otherwise', async () => {
  const careful = await open({ tls: 'starttls' });
  await expect(careful.send(message)).rejects.toMatchObject(later);
  expect(server.messages).toEqual([]);
});

it('no server: later', async () => {
  await server.close();
  await expect(mail.send(message)).rejects.toMatchObject(later);
  server = await startFakeMail();
});

it.each([
  [{ from: 'nobody' }, /from/],
  [{ timeoutMs: 0 }, /timeoutMs/],
])('refuses the options %j', async (options, words) => {
  await expect(open(options)).rejects.toThrow(words);
});

it('does not hide a mail with a hole in it as a failure of the server', async () => {
  const { refundAmount: _, ...data } = message.data;
  await expect(mail.send({ ...message, data })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
});
