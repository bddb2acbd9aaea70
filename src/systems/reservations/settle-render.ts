/**
 * Renders. The renderer knows no idempotency keys and does not sign its callbacks, so:
 *
 *   every attempt is a row with a secret before the renderer is called; a callback must name the secret
 *   a callback is a hint: the status is fetched before it is believed
 *   a submission without an answer has failed for us, but may still finish: done is final, whichever attempt it was
 *   an attempt that fails counts only while it is the newest; then another is tried, or the window for a person opens
 */
import type { SqlExecutor } from '../../core/ports.ts';
import { applyEvent } from './apply-event.ts';
import { notifyCustomer } from './notify-customer.ts';
import { writeRaceLog } from './race-log.ts';
import { raiseAlert } from './raise-alert.ts';
import type { RenderStatus } from './render-port.ts';
import type { ReservationRow } from './reservation-row.ts';
import { changes, queryAll, queryOne, type ReservationsContext } from './reservations-context.ts';
import { beginAttempt, type VideoRow } from './start-render.ts';
import { decideVideo, type VideoEvent } from './video-table.ts';
import { writeJournal } from './write-journal.ts';

const retryDelayMs = 30_000;

export async function settleRender(
  c: ReservationsContext,
  videoId: number,
  attempt: number,
  status: RenderStatus,
): Promise<void> {
  if (status.status === 'done') return finishRender(c, videoId, attempt, status);
  return failAttempt(c, videoId, attempt, status.error ?? 'failed', status.retryable ?? true);
}

async function finishRender(
  c: ReservationsContext,
  videoId: number,
  attempt: number,
  status: RenderStatus,
): Promise<void> {
  await c.database.transaction(async (tx) => {
    const reservations = await queryAll<ReservationRow>(tx, c.sql.lockVideoReservations, [videoId]);
    const video = await queryOne<VideoRow>(tx, c.sql.lockVideo, [videoId]);
    if (!video) return;
    await tx.query({ ...c.sql.recordRenderAttempt, values: [videoId, attempt, 'done', status.renderId, null] });
    const event: VideoEvent = attempt === video.attempt ? 'done, attempt n' : 'done, older attempt';
    if (decideVideo(video.status, event).kind !== 'move') return;
    const values = [videoId, video.status, video.version, 'ready', video.attempt, video.tries, status.url ?? null];
    await changes(tx, c.sql.moveVideo, values);
    await writeJournal(c, tx, { event, videoId, actor: `renderer:${c.render.name}`, from: video.status, to: 'ready' });
    for (const row of reservations) await applyEvent(c, tx, row, 'render ready', { actor: 'system' });
  });
}

export async function failAttempt(
  c: ReservationsContext,
  videoId: number,
  attempt: number,
  error: string,
  retryable = true,
): Promise<void> {
  await c.database.transaction(async (tx) => {
    const reservations = await queryAll<ReservationRow>(tx, c.sql.lockVideoReservations, [videoId]);
    const video = await queryOne<VideoRow>(tx, c.sql.lockVideo, [videoId]);
    if (!video) return;
    const values = [videoId, attempt, 'failed', null, error.slice(0, 500)];
    if (!(await changes(tx, c.sql.recordRenderAttempt, values))) return;
    const ruling = decideVideo(video.status, nameFailure(c, video, attempt, retryable));
    const cause = `render:${videoId}:${attempt}`;
    if (ruling.kind === 'again') {
      await beginAttempt(c, tx, video, { tries: video.tries + 1, delayMs: retryDelayMs });
      await writeRaceLog(c, tx, {
        scenario: 'RENDER_FAILURE',
        resolution: 'RETRY',
        videoId,
        cause,
        details: { error },
      });
    } else if (ruling.kind === 'move' && ruling.window) {
      await openWindow(c, tx, video, reservations, { cause, error });
    }
  });
}

function nameFailure(c: ReservationsContext, video: VideoRow, attempt: number, retryable: boolean): VideoEvent {
  if (attempt !== video.attempt) return 'failed, older attempt';
  return retryable && video.tries < c.settings.renderTries
    ? 'failed, attempt n, tries left'
    : 'failed, attempt n, no tries left';
}

/** No try is left: a person has until the end of the window, and the customer hears what comes by itself. */
async function openWindow(
  c: ReservationsContext,
  tx: SqlExecutor,
  video: VideoRow,
  reservations: readonly ReservationRow[],
  { cause, error }: { readonly cause: string; readonly error: string },
): Promise<void> {
  const values = [video.id, video.status, video.version, 'failed', video.attempt, video.tries, null];
  const moved = await queryOne<{ failure: number }>(tx, c.sql.moveVideo, values);
  const failure = moved?.failure ?? 0;
  await writeRaceLog(c, tx, {
    scenario: 'RENDER_FAILURE',
    resolution: 'MANUAL_REQUIRED',
    videoId: video.id,
    cause,
    details: { error, failure },
  });
  const details = { title: video.title, error, failure };
  await raiseAlert(c, tx, { rule: 'render-manual', subject: `video:${video.id}`, level: 'critical', details });
  for (const row of reservations) {
    await applyEvent(c, tx, row, 'render failed for good', { actor: 'system' });
    await notifyCustomer(c, tx, {
      template: 'render-delayed',
      reservationId: row.id,
      cause: `${row.id}:${failure}`,
      data: { untilMs: Math.min(row.nowMs + c.settings.renderWindowMs, row.slotStartsAtMs) },
    });
  }
}
