/** The sentences about tokens and about a configuration that cannot be, in English and Japanese. */
import { quoteText as quote } from './quote-text.ts';

export interface AccessMessages {
  readonly tokenMade: (id: string) => string;
  readonly noTokens: string;
  readonly tokenRevoked: string;
  readonly revokedToken: (name: string, id: string) => string;
  readonly badChoice: (variable: string, allowed: readonly string[]) => string;
  readonly badDataDir: (path: string) => string;
  readonly sameTokens: (one: string, other: string) => string;
}

export const accessMessagesEn: AccessMessages = {
  tokenMade: (id) => `This is shown once; the server keeps only its sum. To end it: kannuki tokens revoke ${id}`,
  noTokens: 'there are no tokens but those of the configuration',
  tokenRevoked: 'revoked',
  revokedToken: (name, id) => `The token ${quote(name)} (${id}) is revoked on every server.`,
  badChoice: (variable, allowed) => `${variable} must be ${allowed.join(' or ')}.`,
  badDataDir: (path) => `${quote(path)}, named by --data or KANNUKI_DATA, is not a folder.`,
  sameTokens: (one, other) => `${one} and ${other} are the same; each needs a secret of its own.`,
};

export const accessMessagesJa: AccessMessages = {
  tokenMade: (id) => `表示は一度だけで、サーバーは要約値だけを持ちます。終わらせるには：kannuki tokens revoke ${id}`,
  noTokens: '設定のトークン以外にトークンはありません',
  tokenRevoked: '失効',
  revokedToken: (name, id) => `トークン ${quote(name)}（${id}）はすべてのサーバーで失効しました。`,
  badChoice: (variable, allowed) => `${variable} には ${allowed.join(' か ')} を指定してください。`,
  badDataDir: (path) => `--data か KANNUKI_DATA の ${quote(path)} はフォルダーではありません。`,
  sameTokens: (one, other) => `${one} と ${other} が同じです。別々の値にしてください。`,
};
