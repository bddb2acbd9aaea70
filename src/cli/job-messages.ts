/** The sentences of the commands about jobs, in English and Japanese. */
import { quoteText as quote } from './quote-text.ts';

export interface JobMessages {
  readonly working: (worker: number) => string;
  readonly badConfig: (path: string, why: string) => string;
  readonly halfConfigured: (given: string, missing: string) => string;
  readonly badUrl: (variable: string, example: string) => string;
  readonly badJson: (option: string) => string;
  readonly badId: (text: string) => string;
  readonly oneTarget: string;
  readonly oneSchedule: string;
  readonly noJobs: string;
  readonly noRuns: string;
  readonly noWorkers: string;
  readonly noSlots: string;
  readonly jobDefined: (job: string) => string;
  readonly nextTimes: (job: string) => string;
  readonly jobPaused: (job: string, paused: boolean) => string;
  readonly enqueued: (run: number, created: boolean) => string;
  readonly runCanceled: (run: number) => string;
  readonly cancelRequested: (run: number) => string;
  readonly runRetried: (run: number, newRun: number) => string;
  readonly runReassigned: (run: number) => string;
  readonly runEnded: (run: number, state: string, reason: string) => string;
  readonly workerDraining: (worker: number) => string;
  readonly workerDetached: (worker: number) => string;
  readonly demoted: (done: boolean) => string;
  readonly unreachable: (url: string, why: string) => string;
  readonly outcomeUnknown: (url: string, why: string) => string;
  readonly moreRows: (cursor: string) => string;
  readonly badAfter: string;
}

export const jobMessagesEn: JobMessages = {
  working: (worker) => `worker ${worker} takes runs`,
  badConfig: (path, why) => `${path} cannot be used: ${why}`,
  halfConfigured: (given, missing) => `${given} is set, but ${missing} is not; set both or none.`,
  badUrl: (variable, example) => `${variable} is not an address like ${example}.`,
  badJson: (option) => `${option} is not valid JSON.`,
  badId: (text) => `${quote(text)} is not an id; ids are whole numbers from 1.`,
  oneTarget: 'Say either --http URL or a command after --, not both.',
  oneSchedule: 'Say one of --cron, --every, --daily and --once.',
  noJobs: 'no jobs are defined',
  noRuns: 'no runs',
  noWorkers: 'no workers',
  noSlots: 'no due times so far',
  jobDefined: (job) => `defined ${quote(job)}`,
  nextTimes: (job) => `next due times of ${quote(job)}:`,
  jobPaused: (job, paused) => `${paused ? 'paused' : 'resumed'} ${quote(job)}`,
  enqueued: (run, created) => (created ? `run ${run}` : `run ${run} has this key already`),
  runCanceled: (run) => `run ${run} is canceled`,
  cancelRequested: (run) => `run ${run}: its worker was told to stop`,
  runRetried: (run, newRun) => `run ${newRun} repeats run ${run}`,
  runReassigned: (run) => `run ${run} goes to another worker`,
  runEnded: (run, state, reason) => `run ${run} ended: ${state}${reason && ` (${reason})`}`,
  workerDraining: (worker) => `worker ${worker} finishes what it has and gets nothing more`,
  workerDetached: (worker) => `worker ${worker} is detached; it must confirm what it runs`,
  demoted: (done) => (done ? 'the leader was demoted' : 'nobody leads'),
  unreachable: (url, why) => `The server at ${url} cannot be reached (${why}); start it with "kannuki serve".`,
  outcomeUnknown: (url, why) => `${url} did not answer (${why}); it is not known whether the request took effect.`,
  moreRows: (cursor) => `there are more; go on with --after ${cursor}, or take --limit all`,
  badAfter: '--after is not what an earlier list of this kind said to go on with.',
};

export const jobMessagesJa: JobMessages = {
  working: (worker) => `ワーカー ${worker} が実行を引き受けます`,
  badConfig: (path, why) => `${path} を使えません: ${why}`,
  halfConfigured: (given, missing) =>
    `${given} は設定されていますが ${missing} がありません。両方設定するか、両方外してください。`,
  badUrl: (variable, example) => `${variable} は ${example} のような形で指定してください。`,
  badJson: (option) => `${option} は JSON として読めません。`,
  badId: (text) => `${quote(text)} は番号ではありません。1 以上の整数を書いてください。`,
  oneTarget: '--http URL か、-- の後のコマンドの、どちらか一方を書いてください。',
  oneSchedule: '--cron、--every、--daily、--once のうち一つだけを書いてください。',
  noJobs: '定義されたジョブはありません',
  noRuns: '実行はありません',
  noWorkers: 'ワーカーはありません',
  noSlots: '予定時刻の記録はまだありません',
  jobDefined: (job) => `${quote(job)} を定義しました`,
  nextTimes: (job) => `${quote(job)} の次の予定時刻:`,
  jobPaused: (job, paused) => `${quote(job)} を${paused ? '停止' : '再開'}しました`,
  enqueued: (run, created) => (created ? `実行 ${run}` : `このキーの実行 ${run} が既にあります`),
  runCanceled: (run) => `実行 ${run} を取り消しました`,
  cancelRequested: (run) => `実行 ${run}: ワーカーに停止を伝えました`,
  runRetried: (run, newRun) => `実行 ${newRun} が実行 ${run} をやり直します`,
  runReassigned: (run) => `実行 ${run} を別のワーカーに割り当て直します`,
  runEnded: (run, state, reason) => `実行 ${run} が終わりました: ${state}${reason && `（${reason}）`}`,
  workerDraining: (worker) => `ワーカー ${worker} は手持ちを終えたら新しい実行を受けません`,
  workerDetached: (worker) => `ワーカー ${worker} を切り離しました。実行中のものは確認が必要です`,
  demoted: (done) => (done ? 'リーダーを降ろしました' : 'リーダーはいません'),
  unreachable: (url, why) => `${url} のサーバーに接続できません（${why}）。"kannuki serve" で起動してください。`,
  outcomeUnknown: (url, why) => `${url} が応答しません（${why}）。要求が実行されたかどうか不明です。`,
  moreRows: (cursor) => `まだ続きがあります。続きは --after ${cursor}、すべて表示するには --limit all を使ってください`,
  badAfter: '--after には、以前の一覧が示した続きの印を書いてください。',
};
