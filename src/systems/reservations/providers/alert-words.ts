/** What operators read about each alert: what happened, then what comes by itself and what is left to a person. */
import type { Locale } from '../app-error.ts';

export interface AlertFacts {
  /** Such as `reservation:41`. */
  readonly subject: string;
  /** A detail as text; empty when there is none. */
  readonly detail: (name: string) => string;
}

export interface AlertText {
  readonly title: string;
  readonly text: string;
}

type Words = Readonly<Record<Locale, (facts: AlertFacts) => AlertText>>;

const inBrackets = (text: string): string => (text === '' ? '' : ` (${text})`);
const inWideBrackets = (text: string): string => (text === '' ? '' : `（${text}）`);

export const alertWords: Readonly<Record<string, Words>> = {
  'expiry-refunds': {
    en: ({ detail }) => ({
      title: `${detail('count')} payments came after their time within an hour.`,
      text: 'All were refunded by themselves. See whether the payment page is slow.',
    }),
    ja: ({ detail }) => ({
      title: `1時間に${detail('count')}件、期限切れ後のお支払いがありました。`,
      text: 'すべて自動で返金しました。決済ページが遅くないか確認してください。',
    }),
  },
  'render-refund': {
    en: ({ detail }) => ({
      title: `Refunded within a day because a film could not be rendered: ${detail('count')}.`,
      text: 'The customers have been told and the bookings are cancelled. See why the renders failed.',
    }),
    ja: ({ detail }) => ({
      title: `24時間に${detail('count')}件、動画の変換に失敗して返金しました。`,
      text: 'お客様への連絡と取消は済んでいます。失敗の原因を確認してください。',
    }),
  },
  'render-manual': {
    en: ({ subject, detail }) => ({
      title: `Render failed: “${detail('title') || subject}”.`,
      text: `The customer is refunded by itself when the window ends, unless you mark it fixed.${inBrackets(detail('error'))}`,
    }),
    ja: ({ subject, detail }) => ({
      title: `動画の変換に失敗：「${detail('title') || subject}」。`,
      text: `このままなら期限が来しだい自動で返金します。直したら「修正済み」を押してください。${inWideBrackets(detail('error'))}`,
    }),
  },
  'refund-manual': {
    en: ({ subject, detail }) => ({
      title: `Refund parked: ${subject}.`,
      text: `The provider refused it${inBrackets(detail('problem') || detail('reason'))}. It will not be tried again, and cannot be paid twice.`,
    }),
    ja: ({ subject, detail }) => ({
      title: `返金が保留中：${subject}。`,
      text: `決済会社が拒否しました${inWideBrackets(detail('problem') || detail('reason'))}。自動では再試行しません。二重に返金されることもありません。`,
    }),
  },
  'payment-differs': {
    en: ({ subject, detail }) => ({
      title: `Another amount or currency was paid: ${subject}.`,
      text: `Nothing was confirmed${inBrackets(detail('problem'))}. Compare it at the provider and decide.`,
    }),
    ja: ({ subject, detail }) => ({
      title: `金額または通貨が異なるお支払い：${subject}。`,
      text: `確定していません${inWideBrackets(detail('problem'))}。決済会社の記録と比べて判断してください。`,
    }),
  },
  dispute: {
    en: ({ subject }) => ({
      title: `A payment is in dispute: ${subject}.`,
      text: 'Automatic refunds of it wait until the dispute is closed. Answer it at the provider.',
    }),
    ja: ({ subject }) => ({
      title: `お支払いに異議申し立て：${subject}。`,
      text: '終わるまで自動の返金を止めています。決済会社の画面で回答してください。',
    }),
  },
  'refunded-in-part': {
    en: ({ subject }) => ({
      title: `Part of a payment was refunded at the provider: ${subject}.`,
      text: 'The booking stands. Cancel it if that was meant.',
    }),
    ja: ({ subject }) => ({
      title: `決済会社の画面で一部返金：${subject}。`,
      text: 'ご予約はそのままです。取り消すつもりなら取り消してください。',
    }),
  },
  'provider-unreachable': {
    en: ({ subject }) => ({
      title: `The payment provider did not answer in time: ${subject}.`,
      text: 'The time was given up. Money that turns up later is dealt with by itself.',
    }),
    ja: ({ subject }) => ({
      title: `決済会社が時間内に応答しませんでした：${subject}。`,
      text: '枠を手放しました。後から入金が見つかった場合は自動で処理します。',
    }),
  },
  'other-mode': {
    en: ({ subject }) => ({
      title: `A payment of the other mode, test or live: ${subject}.`,
      text: 'Nothing was changed. See which keys this installation uses.',
    }),
    ja: ({ subject }) => ({
      title: `本番と試験の異なるお支払い：${subject}。`,
      text: '何も変えていません。使っているキーを確認してください。',
    }),
  },
  'event-parked': {
    en: ({ subject, detail }) => ({
      title: `A webhook could not be worked on: ${subject}.`,
      text: `It is kept and tried again${inBrackets(detail('why'))}.`,
    }),
    ja: ({ subject, detail }) => ({
      title: `処理できないWebhook：${subject}。`,
      text: `保存してあり、自動で再試行します${inWideBrackets(detail('why'))}。`,
    }),
  },
  'effect-parked': {
    en: ({ subject, detail }) => ({
      title: `Something that had to be done was given up: ${subject}.`,
      text: `It waits for a person${inBrackets(detail('error'))}.`,
    }),
    ja: ({ subject, detail }) => ({
      title: `実行をあきらめた処理：${subject}。`,
      text: `人の対応を待っています${inWideBrackets(detail('error'))}。`,
    }),
  },
  unruled: {
    en: ({ subject, detail }) => ({
      title: `No rule knows what happened: ${subject}.`,
      text: `Nothing was changed${inBrackets([detail('event'), detail('state')].filter(Boolean).join(', '))}. Look at the journal.`,
    }),
    ja: ({ subject, detail }) => ({
      title: `規則にない出来事：${subject}。`,
      text: `何も変えていません${inWideBrackets([detail('event'), detail('state')].filter(Boolean).join('、'))}。記録を確認してください。`,
    }),
  },
};
