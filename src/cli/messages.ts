/** The main sentences of the command line, in English and Japanese. The language follows LC_ALL, LC_MESSAGES, LANG. */

import { type AccessMessages, accessMessagesEn, accessMessagesJa } from './access-messages.ts';
import { type BackupMessages, backupMessagesEn, backupMessagesJa } from './backup-messages.ts';
import { type DemoMessages, demoMessagesEn, demoMessagesJa } from './demo-messages.ts';
import { type JobMessages, jobMessagesEn, jobMessagesJa } from './job-messages.ts';
import { quoteText as quote } from './quote-text.ts';
import { type RolloutMessages, rolloutMessagesEn, rolloutMessagesJa } from './rollout-messages.ts';
import { type StatusMessages, statusMessagesEn, statusMessagesJa } from './status-messages.ts';

export interface Messages
  extends AccessMessages,
    BackupMessages,
    DemoMessages,
    JobMessages,
    RolloutMessages,
    StatusMessages {
  readonly badDuration: (option: string, text: string) => string;
  readonly durationRange: (option: string, text: string, min: string, max: string) => string;
  readonly badCount: (option: string, text: string) => string;
  readonly badPort: (text: string) => string;
  readonly badStore: (text: string) => string;
  readonly badRedisUrl: string;
  readonly needsRedisClient: string;
  readonly needsToken: (url: string) => string;
  readonly waiting: (lock: string, holder: string) => string;
  readonly notAcquired: (lock: string, waited: string, holder: string) => string;
  readonly heldNow: (lock: string, holder: string) => string;
  readonly somebody: string;
  readonly interruptedWhileWaiting: (lock: string) => string;
  readonly lost: (lock: string, why: string) => string;
  readonly lostBroken: (by: string, reason: string) => string;
  readonly lostTaken: (holder: string) => string;
  readonly lostExpired: string;
  readonly lostDeadline: string;
  readonly lostClosed: string;
  readonly commandNotFound: (command: string) => string;
  readonly commandCannotRun: (command: string, why: string) => string;
  readonly releaseFailed: (lock: string) => string;
  readonly graceTooLong: (grace: string, ttl: string) => string;
  readonly listening: (url: string) => string;
  readonly signIn: (url: string) => string;
  readonly stopped: string;
  readonly tokenFile: (path: string) => string;
  readonly needsConfiguredToken: (host: string) => string;
  readonly shortToken: (variable: string, least: number) => string;
  readonly unusableToken: (path: string) => string;
  readonly migrated: (count: number) => string;
  readonly nothingToMigrate: string;
  readonly noTables: (store: string) => string;
  readonly noLeases: string;
  readonly notHeld: (key: string) => string;
  readonly broken: (key: string, holders: string) => string;
  readonly breakUnknown: (key: string, why: string) => string;
  readonly verboseHint: string;
}

const en: Messages = {
  ...accessMessagesEn,
  ...backupMessagesEn,
  ...demoMessagesEn,
  ...jobMessagesEn,
  ...rolloutMessagesEn,
  ...statusMessagesEn,
  badDuration: (option, text) => `${option}: ${quote(text)} is not a duration; write for example 500ms, 30s, 5m or 1h.`,
  durationRange: (option, text, min, max) => `${option}: ${quote(text)} is out of bounds; allowed is ${min} to ${max}.`,
  badCount: (option, text) => `${option}: ${quote(text)} is not a whole number of 1 or more.`,
  badPort: (text) => `--port: ${quote(text)} is not a port; allowed is 0 to 65535.`,
  badStore: (text) =>
    `--store: ${quote(text)} is not understood; write file:DIR, postgres://…, redis://…, firestore://PROJECT/COLLECTION, http://… or memory.`,
  badRedisUrl: 'REDIS_URL is not understood; write redis://HOST:PORT or rediss://….',
  needsRedisClient: 'A redis:// store needs a client library: npm install ioredis (or redis).',
  needsToken: (url) => `${url} needs a token: set KANNUKI_API_TOKEN.`,
  waiting: (lock, holder) => `waiting for ${quote(lock)}, held by ${holder}`,
  notAcquired: (lock, waited, holder) =>
    `${quote(lock)} was not free within ${waited}, ${holder} holds it; the command was not started.`,
  heldNow: (lock, holder) =>
    `${quote(lock)} is held by ${holder}; the command was not started (--wait 10s would wait).`,
  somebody: 'somebody else',
  interruptedWhileWaiting: (lock) => `interrupted while waiting for ${quote(lock)}; the command was not started.`,
  lost: (lock, why) => `the lease ${quote(lock)} was lost (${why}); the command was ended.`,
  lostBroken: (by, reason) => `broken by ${by}: ${reason}`,
  lostTaken: (holder) => `${holder} holds it now`,
  lostExpired: 'it had expired',
  lostDeadline: 'it could not be renewed in time',
  lostClosed: 'kannuki was stopping',
  commandNotFound: (command) => `there is no command ${quote(command)}.`,
  commandCannotRun: (command, why) => `the command ${quote(command)} cannot be started: ${why}.`,
  releaseFailed: (lock) => `the lease ${quote(lock)} could not be given back; it ends with its TTL.`,
  graceTooLong: (grace, ttl) =>
    `--grace ${grace} is long for --ttl ${ttl}: after a lost lease the command may overlap with the next holder.`,
  listening: (url) => `kannuki listens on ${url}`,
  signIn: (url) => `Open ${url} to sign in (works once, for 15 minutes).`,
  stopped: 'kannuki has stopped',
  tokenFile: (path) => `the token for this machine is in ${path}`,
  needsConfiguredToken: (host) =>
    `Listening on ${host} is open to the network: set KANNUKI_API_TOKEN to a long random token first, or use --host 127.0.0.1.`,
  shortToken: (variable, least) =>
    `${variable} must be at least ${least} printable characters without spaces; try: openssl rand -hex 32`,
  unusableToken: (path) => `${path} does not contain a token; remove it, and the next start makes a new one.`,
  migrated: (count) => `${count} migration${count === 1 ? '' : 's'} applied`,
  nothingToMigrate: 'nothing to do, the tables are up to date',
  noTables: (store) => `the store ${store} has no tables, so there is nothing to migrate`,
  noLeases: 'no leases are held',
  notHeld: (key) => `${quote(key)} is not held by anybody.`,
  broken: (key, holders) => `broke ${quote(key)}, held by ${holders}`,
  breakUnknown: (key, why) =>
    `it is not known whether ${quote(key)} was broken: ${why} Look with "kannuki leases list".`,
  verboseHint: 'run again with --verbose for details',
};

const ja: Messages = {
  ...accessMessagesJa,
  ...backupMessagesJa,
  ...demoMessagesJa,
  ...jobMessagesJa,
  ...rolloutMessagesJa,
  ...statusMessagesJa,
  badDuration: (option, text) =>
    `${option}: ${quote(text)} は時間として読めません。500ms、30s、5m、1h のように書いてください。`,
  durationRange: (option, text, min, max) => `${option}: ${quote(text)} は範囲外です。${min} から ${max} までです。`,
  badCount: (option, text) => `${option}: ${quote(text)} は 1 以上の整数ではありません。`,
  badPort: (text) => `--port: ${quote(text)} はポート番号ではありません。0 から 65535 までです。`,
  badStore: (text) =>
    `--store: ${quote(text)} は解釈できません。file:DIR、postgres://…、redis://…、firestore://PROJECT/COLLECTION、http://…、memory のいずれかを書いてください。`,
  badRedisUrl: 'REDIS_URL は解釈できません。redis://HOST:PORT または rediss://… と書いてください。',
  needsRedisClient:
    'redis:// のストアにはクライアントが必要です。npm install ioredis（または redis）を実行してください。',
  needsToken: (url) => `${url} にはトークンが必要です。KANNUKI_API_TOKEN を設定してください。`,
  waiting: (lock, holder) => `${quote(lock)} を待っています（保持者: ${holder}）`,
  notAcquired: (lock, waited, holder) =>
    `${quote(lock)} は ${waited} 以内に空きませんでした（保持者: ${holder}）。コマンドは実行していません。`,
  heldNow: (lock, holder) =>
    `${quote(lock)} は ${holder} が保持しています。コマンドは実行していません（待つには --wait 10s）。`,
  somebody: '他のプロセス',
  interruptedWhileWaiting: (lock) => `${quote(lock)} を待つ間に中断されました。コマンドは実行していません。`,
  lost: (lock, why) => `リース ${quote(lock)} を失ったため（${why}）、コマンドを終了させました。`,
  lostBroken: (by, reason) => `${by} が解除: ${reason}`,
  lostTaken: (holder) => `現在の保持者: ${holder}`,
  lostExpired: '期限切れ',
  lostDeadline: '期限までに更新できず',
  lostClosed: 'kannuki の停止',
  commandNotFound: (command) => `コマンド ${quote(command)} が見つかりません。`,
  commandCannotRun: (command, why) => `コマンド ${quote(command)} を起動できません: ${why}`,
  releaseFailed: (lock) => `リース ${quote(lock)} を返せませんでした。TTL が過ぎると終わります。`,
  graceTooLong: (grace, ttl) =>
    `--grace ${grace} は --ttl ${ttl} に対して長すぎます。リースを失った後、次の保持者とコマンドが重なることがあります。`,
  listening: (url) => `kannuki は ${url} で待ち受けています`,
  signIn: (url) => `${url} を開くとサインインできます（一度だけ、15分間有効）。`,
  stopped: 'kannuki は停止しました',
  tokenFile: (path) => `この機械用のトークンは ${path} にあります`,
  needsConfiguredToken: (host) =>
    `${host} で待ち受けるとネットワークに公開されます。先に KANNUKI_API_TOKEN に長いランダムなトークンを設定するか、--host 127.0.0.1 を使ってください。`,
  shortToken: (variable, least) =>
    `${variable} は空白を含まない ${least} 文字以上にしてください。例: openssl rand -hex 32`,
  unusableToken: (path) => `${path} にトークンがありません。削除すれば、次の起動で作り直します。`,
  migrated: (count) => `マイグレーションを ${count} 件適用しました`,
  nothingToMigrate: 'テーブルは最新です',
  noTables: (store) => `ストア ${store} にはテーブルがないため、マイグレーションは不要です`,
  noLeases: '保持されているリースはありません',
  notHeld: (key) => `${quote(key)} は誰も保持していません。`,
  broken: (key, holders) => `${quote(key)} を解除しました（保持者: ${holders}）`,
  breakUnknown: (key, why) =>
    `${quote(key)} が解除されたかどうか不明です: ${why} "kannuki leases list" で確かめてください。`,
  verboseHint: '詳しくは --verbose を付けて実行してください',
};

export function messagesFor(env: Readonly<Record<string, string | undefined>>): Messages {
  const language = env.LC_ALL || env.LC_MESSAGES || env.LANG || '';
  return /^ja(_|\.|-|$)/i.test(language) ? ja : en;
}
