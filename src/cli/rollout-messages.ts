/** The sentences of the commands about rollouts, in English and Japanese. */
import { quoteText as quote } from './quote-text.ts';

export interface RolloutMessages {
  readonly badPhase: (text: string) => string;
  readonly badShare: (option: string, text: string) => string;
  readonly rolloutNow: (phase: string, share: string, version: number) => string;
  readonly rolledBack: (from: string, to: string, share: string, version: number) => string;
  readonly noSessions: string;
  readonly verdictFew: (sessions: number, min: number) => string;
  readonly verdictOk: (rate: string, limit: string) => string;
  readonly verdictBreach: (rate: string, limit: string, to: string | undefined) => string;
}

export const rolloutMessagesEn: RolloutMessages = {
  badPhase: (text) => `${quote(text)} is not a phase; phases are A-0, A-1, A-2, B-0 and B-1.`,
  badShare: (option, text) => `${option}: ${quote(text)} is not a share; write a number from 0 to 1.`,
  rolloutNow: (phase, share, version) => `The rollout is in ${phase} (${share} of clients), version ${version}.`,
  rolledBack: (from, to, share, version) =>
    `Rolled back from ${from} to ${to} (${share} of clients), version ${version}.`,
  noSessions: 'no session has reported in this window',
  verdictFew: (sessions, min) => `Not judged: ${sessions} sessions, and ${min} are needed.`,
  verdictOk: (rate, limit) => `Fine: ${rate} of sessions are read-only, the limit is ${limit}.`,
  verdictBreach: (rate, limit, to) =>
    `Breach: ${rate} of sessions are read-only, the limit is ${limit}.${
      to === undefined ? ' It is the first phase.' : ` To roll back: kannuki flags rollback --phase ${to}`
    }`,
};

export const rolloutMessagesJa: RolloutMessages = {
  badPhase: (text) => `${quote(text)} は段階ではありません。段階は A-0、A-1、A-2、B-0、B-1 です。`,
  badShare: (option, text) => `${option}: ${quote(text)} は割合ではありません。0 から 1 の数を書いてください。`,
  rolloutNow: (phase, share, version) => `段階は ${phase}（利用者の ${share}）、版は ${version} です。`,
  rolledBack: (from, to, share, version) =>
    `${from} から ${to}（利用者の ${share}）へ戻しました。版は ${version} です。`,
  noSessions: 'この集計期間に報告はありません',
  verdictFew: (sessions, min) => `判定しません：${sessions}セッションで、${min}以上が必要です。`,
  verdictOk: (rate, limit) => `正常：セッションの ${rate} が閲覧のみです。上限は ${limit} です。`,
  verdictBreach: (rate, limit, to) =>
    `超過：セッションの ${rate} が閲覧のみで、上限は ${limit} です。${
      to === undefined ? '最初の段階です。' : `戻すには：kannuki flags rollback --phase ${to}`
    }`,
};
