import type { MailWords } from './mail-words.ts';

export const japaneseMailWords: MailWords = {
  greeting: ({ name }) => `${name} 様`,
  booking: (reservationId, { film, time }) => `ご予約番号 ${reservationId}：「${film}」${time}`,
  templates: {
    'reservation-confirmed': ({ time, film, amount }) => ({
      subject: `ご予約が確定しました：${time}`,
      paragraphs: [
        `「${film}」${time} のご予約が確定しました。`,
        `${amount} のお支払いを確認しました。これから動画を準備します。お手続きは不要です。`,
        'ご都合が変わったときは、開始前であれば取り消せます。全額を返金します。',
      ],
    }),
    'reservation-cancelled': ({ time }) => ({
      subject: `ご予約を取り消しました：${time}`,
      paragraphs: [`${time} のご予約を取り消しました。`, 'お支払いは発生していません。お手続きは不要です。'],
    }),
    'reservation-cancelled-refunded': ({ time, refund }) => ({
      subject: `ご予約を取り消しました。${refund} を返金します`,
      paragraphs: [
        `${time} のご予約を取り消しました。`,
        `${refund} を、お支払いいただいた方法へ返金します。明細に反映されるまで数日かかることがあります。`,
        'お手続きは不要です。',
      ],
    }),
    'reservation-expired-refunded': ({ time, refund }) => ({
      subject: `期限が切れたため、${refund} を返金しました`,
      paragraphs: [
        `お支払いの直前に、おさえていた枠（${time}）の期限が切れました。`,
        `お支払いいただいた ${refund} は、自動で全額返金しました。カードの明細に反映されるまで数日かかることがあります。ご面倒をおかけし、申し訳ありません。`,
        'お手数ですが、もう一度枠をお選びのうえ、ご予約ください。',
      ],
    }),
    'payment-pending': ({ time, amount, until }) => ({
      subject: until === undefined ? `${amount} をお支払いください` : `${until} までに ${amount} をお支払いください`,
      paragraphs: [
        `${time} の枠をおさえています。${amount} のお支払いを確認できしだい、ご予約が確定します。`,
        until === undefined
          ? 'お支払い票の案内に沿ってお支払いください。'
          : `${until} までにお支払いください。過ぎると、ほかの方も予約できるようになります。`,
      ],
    }),
    'payment-failed': ({ time }) => ({
      subject: `お支払いを確認できませんでした：${time}`,
      paragraphs: [
        `${time} のお支払いは完了しませんでした。`,
        `お支払いは発生していません。${time} がまだ空いていれば、もう一度お取りいただけます。`,
      ],
    }),
    'refund-completed': ({ refund }) => ({
      subject: `${refund} を返金しました`,
      paragraphs: [
        `${refund} の返金が完了しました。`,
        '明細に反映されるまで数日かかることがあります。お手続きは不要です。',
      ],
    }),
    'refund-needs-account': ({ refund, until }) => ({
      subject: `${refund} の返金先をお知らせください`,
      paragraphs: [
        `${refund} を返金します。お支払いいただいた方法へは直接返金できないため、銀行口座が必要です。`,
        `決済会社から、口座をお尋ねするメールをお送りしています。${until === undefined ? '' : `${until} までに`}ご回答ください。その後は自動で返金します。`,
      ],
    }),
    'render-delayed': ({ film, amount, until }) => ({
      subject: '動画の準備に時間がかかっています',
      paragraphs: [
        `動画「${film}」の準備に時間がかかっています。まだ完成していません。対応中です。`,
        `${until} までに間に合わない場合は、${amount} を自動で返金します。お手続きは不要です。`,
      ],
    }),
    'render-failed-refunded': ({ film, time, refund }) => ({
      subject: `動画を準備できなかったため、${refund} を返金しました`,
      paragraphs: [
        `動画「${film}」を準備できなかったため、${time} のご予約を取り消し、${refund} を自動で返金しました。`,
        '明細に反映されるまで数日かかることがあります。申し訳ありません。ご連絡いただければ、もう一度お手伝いします。',
      ],
    }),
  },
};
