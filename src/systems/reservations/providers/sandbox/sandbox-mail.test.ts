import { expect, it } from 'vitest';
import type { MailMessage } from '../../mail-port.ts';
import { sandboxMail } from './sandbox-mail.ts';

const message: MailMessage = {
  key: 'reservation-confirmed:41',
  to: 'hana@example.jp',
  locale: 'en',
  template: 'reservation-confirmed',
  data: {
    reservationId: 41,
    customerName: '<b>Hana</b>',
    videoTitle: 'Light river',
    projectionDate: '2026-11-21',
    slotNumber: 1,
    slotStartsAtMs: 1_795_255_200_000,
    timeZone: 'Asia/Tokyo',
    amount: 8800,
    currency: 'jpy',
  },
};

it('keeps one mail per cause, however often it is sent', async () => {
  const mail = sandboxMail();
  mail.failNext(1, 'before');
  mail.failNext(1, 'after');
  await expect(mail.send(message)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE', retryable: true });
  expect(mail.messages).toEqual([]);
  await expect(mail.send(message)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
  const answer = await mail.send(message);
  expect(answer).toMatchObject({ kind: 'sent', messageId: mail.messages[0]?.messageId });
  expect(mail.messages).toMatchObject([{ key: message.key, copies: 2 }]);
});

it('shows its mails on a page, as text', async () => {
  const mail = sandboxMail();
  const empty = await mail.handle(new Request('http://shop.example/mailbox?lang=ja'));
  expect(await empty.text()).toContain('送信したメールはありません。');
  await mail.send(message);
  const html = await (await mail.handle(new Request('http://shop.example/mailbox'))).text();
  expect(html).toContain('Dear &lt;b&gt;Hana&lt;/b&gt;');
  expect(html).toContain('hana@example.jp');
});

it('refuses for good, and forgets the oldest', async () => {
  const mail = sandboxMail({ keep: 1 });
  mail.refuse('nobody@example.jp');
  expect(await mail.send({ ...message, to: 'nobody@example.jp' })).toMatchObject({ kind: 'refused' });
  await mail.send(message);
  await mail.send({ ...message, key: 'reservation-confirmed:42' });
  expect(mail.messages.map(({ key }) => key)).toEqual(['reservation-confirmed:42']);
});
