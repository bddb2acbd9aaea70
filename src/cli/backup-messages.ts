/** The sentences of `backup` and `restore`, in English and Japanese. */

export interface BackupMessages {
  readonly backupProgress: (rows: number, table: string) => string;
  readonly backedUp: (rows: number, tables: number, bytes: string, file: string) => string;
  readonly backupIsSecret: string;
  readonly restoreProgress: (rows: number, table: string) => string;
  readonly restored: (rows: number, tables: number, where: string) => string;
  readonly restoredFloor: (token: number) => string;
  readonly backupIsGood: (rows: number, tables: number, takenAt: string, source: string) => string;
  readonly logsElsewhere: (count: number) => string;
  readonly needsDatabase: (store: string) => string;
  readonly noDatabaseIn: (dir: string) => string;
}

export const backupMessagesEn: BackupMessages = {
  backupProgress: (rows, table) => `${rows.toLocaleString('en')} rows, now ${table}`,
  backedUp: (rows, tables, bytes, file) =>
    `${rows.toLocaleString('en')} rows of ${tables} tables are in ${file} (${bytes})`,
  backupIsSecret: 'the file holds what signs sessions: keep it like a password',
  restoreProgress: (rows, table) => `${rows.toLocaleString('en')} rows restored, now ${table}`,
  restored: (rows, tables, where) => `${rows.toLocaleString('en')} rows of ${tables} tables are in ${where}`,
  restoredFloor: (token) =>
    `tokens and epochs go on above ${token}; whoever held something in the old store is refused from now on`,
  backupIsGood: (rows, tables, takenAt, source) =>
    `complete: ${rows.toLocaleString('en')} rows of ${tables} tables, taken ${takenAt} from ${source}`,
  logsElsewhere: (count) =>
    `the logs of ${count} runs are archived outside of the database: keep that folder or bucket, and name it with KANNUKI_LOG_ARCHIVE or S3_BUCKET`,
  needsDatabase: (store) => `--store: ${store} is no database; write postgres://…, or name a folder with --data.`,
  noDatabaseIn: (dir) => `There is no database in ${dir}; name its folder with --data, or a server with --store.`,
};

export const backupMessagesJa: BackupMessages = {
  backupProgress: (rows, table) => `${rows.toLocaleString('en')} 行、現在 ${table}`,
  backedUp: (rows, tables, bytes, file) =>
    `${tables} テーブル ${rows.toLocaleString('en')} 行を ${file} に保存しました（${bytes}）`,
  backupIsSecret: 'このファイルにはセッションの署名鍵が含まれます。パスワードと同じように保管してください',
  restoreProgress: (rows, table) => `${rows.toLocaleString('en')} 行を復元、現在 ${table}`,
  restored: (rows, tables, where) => `${tables} テーブル ${rows.toLocaleString('en')} 行を ${where} に復元しました`,
  restoredFloor: (token) =>
    `今後のトークンとエポックは ${token} より大きくなります。元のストアの保持者は以後すべて拒否されます`,
  backupIsGood: (rows, tables, takenAt, source) =>
    `完全です: ${tables} テーブル ${rows.toLocaleString('en')} 行、${takenAt} に ${source} から取得`,
  logsElsewhere: (count) =>
    `${count} 件の実行ログはデータベースの外に保管されています。そのフォルダーまたはバケットを残し、KANNUKI_LOG_ARCHIVE か S3_BUCKET で指定してください`,
  needsDatabase: (store) =>
    `--store: ${store} はデータベースではありません。postgres://… を書くか、--data でフォルダーを指定してください。`,
  noDatabaseIn: (dir) =>
    `${dir} にデータベースがありません。--data でフォルダーを、または --store でサーバーを指定してください。`,
};
