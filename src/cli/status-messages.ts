/** The sentences of `status`, in English and Japanese. */

export interface StatusMessages {
  readonly statusReady: string;
  readonly statusNotReady: (why: string) => string;
  readonly statusLeader: (name: string, epoch: number) => string;
  readonly statusNoLeader: string;
  readonly statusWorkers: (count: number, load: number, capacity: number) => string;
  readonly statusQueue: (waiting: number, running: number, complete: boolean) => string;
  readonly statusLately: (succeeded: number, failed: number) => string;
  readonly statusFailing: (job: string, failed: number, ended: number, why: string) => string;
  readonly statusLeases: (held: string, waiting: number) => string;
  readonly benchElsewhere: string;
  readonly statusLabels: readonly [string, string, string, string, string, string, string];
}

export const statusMessagesEn: StatusMessages = {
  statusReady: 'ready',
  statusNotReady: (why) => `not ready: ${why}`,
  statusLeader: (name, epoch) => `${name}, epoch ${epoch}`,
  statusNoLeader: 'nobody leads; start "kannuki serve" or "kannuki worker"',
  statusWorkers: (count, load, capacity) => `${count} at work, ${load} of ${capacity} places taken`,
  statusQueue: (waiting, running, complete) => `${waiting} waiting, ${running} running${complete ? '' : ', or more'}`,
  statusLately: (succeeded, failed) => `${succeeded} succeeded, ${failed} failed in the last hour`,
  statusFailing: (job, failed, ended, why) => `${job}: ${failed} of ${ended} failed${why && ` (${why})`}`,
  statusLeases: (held, waiting) => `${held} held, ${waiting} in line`,
  benchElsewhere:
    'The benchmarks are not in the package: in a checkout of the repository run npm run bench -- NAME (bench/README.md).',
  statusLabels: ['server', 'leader', 'workers', 'queue', 'lately', 'failing', 'leases'],
};

export const statusMessagesJa: StatusMessages = {
  statusReady: '準備完了',
  statusNotReady: (why) => `準備できていません: ${why}`,
  statusLeader: (name, epoch) => `${name}、エポック ${epoch}`,
  statusNoLeader: 'リーダーがいません。"kannuki serve" か "kannuki worker" を起動してください',
  statusWorkers: (count, load, capacity) => `${count} 稼働中、${capacity} 枠のうち ${load} 使用中`,
  statusQueue: (waiting, running, complete) => `待ち ${waiting}、実行中 ${running}${complete ? '' : '（それ以上）'}`,
  statusLately: (succeeded, failed) => `この 1 時間で成功 ${succeeded}、失敗 ${failed}`,
  statusFailing: (job, failed, ended, why) => `${job}: ${ended} 件中 ${failed} 件失敗${why && `（${why}）`}`,
  statusLeases: (held, waiting) => `保持 ${held}、待ち ${waiting}`,
  benchElsewhere:
    'ベンチマークはパッケージに含まれません。リポジトリで npm run bench -- NAME を実行してください（bench/README.md）。',
  statusLabels: ['サーバー', 'リーダー', 'ワーカー', '待ち行列', '最近', '失敗中', 'リース'],
};
