/** A render begins: the attempt and its secret are written first, the renderer is called by an effect. */
import type { SqlExecutor } from '../../core/ports.ts';
import { effectNames } from './effect-names.ts';
import { changes, queryOne, type ReservationsContext } from './reservations-context.ts';
import { decideVideo, type VideoState } from './video-table.ts';

export interface VideoRow {
  readonly id: number;
  readonly userId: number;
  readonly title: string;
  readonly status: VideoState;
  /** Number of the newest attempt. */
  readonly attempt: number;
  /** Attempts since the render was last started. */
  readonly tries: number;
  /** How often it has failed for good. */
  readonly failure: number;
  readonly version: number;
}

export async function startRender(c: ReservationsContext, tx: SqlExecutor, videoId: number): Promise<void> {
  const video = await queryOne<VideoRow>(tx, c.sql.lockVideo, [videoId]);
  if (!video || decideVideo(video.status, 'start (attempt n)').kind !== 'move') return;
  await beginAttempt(c, tx, video, { tries: 1, delayMs: 0 });
}

/** The next attempt, from any state that allows one. */
export async function beginAttempt(
  c: ReservationsContext,
  tx: SqlExecutor,
  video: VideoRow,
  { tries, delayMs }: { readonly tries: number; readonly delayMs: number },
): Promise<void> {
  const attempt = video.attempt + 1;
  const values = [video.id, video.status, video.version, 'processing', attempt, tries, null];
  if (!(await changes(tx, c.sql.moveVideo, values))) {
    throw new Error(`Video ${video.id} changed while its row was locked (was ${video.status}).`);
  }
  await tx.query({ ...c.sql.insertRenderAttempt, values: [video.id, attempt, c.random.hex(16)] });
  const now = delayMs > 0 ? await queryOne<{ nowMs: number }>(tx, c.sql.readNow, []) : undefined;
  await c.effects.enqueue(
    tx,
    effectNames.render,
    { videoId: video.id, attempt },
    { key: `render:${video.id}:${attempt}`, ...(now && { runAtMs: now.nowMs + delayMs }) },
  );
}
