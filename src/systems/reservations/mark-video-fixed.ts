/** A person of the house fixed a render, or wants it tried again: the window is over. */
import { type Acting, nameActor, requireAdmin } from './actor.ts';
import { AppError } from './app-error.ts';
import type { ReservationRow } from './reservation-row.ts';
import { changes, queryAll, queryOne, type ReservationsContext } from './reservations-context.ts';
import { beginAttempt, type VideoRow } from './start-render.ts';
import { decideVideo, type VideoState } from './video-table.ts';
import { writeJournal } from './write-journal.ts';

export interface VideoFix {
  /** Where the film is. Absent: it is rendered again. */
  readonly renderUrl?: string;
}

export async function markVideoFixed(
  c: ReservationsContext,
  videoId: number,
  fix: VideoFix,
  { actor }: Acting,
): Promise<{ readonly videoId: number; readonly status: VideoState }> {
  requireAdmin(actor, 'Marking a video as fixed');
  return c.database.transaction(async (tx) => {
    // Locked first, like everywhere: a cancellation of one of them may be under way.
    await queryAll<ReservationRow>(tx, c.sql.lockVideoReservations, [videoId]);
    const video = await queryOne<VideoRow>(tx, c.sql.lockVideo, [videoId]);
    if (!video) throw new AppError(`There is no video ${videoId}.`, { code: 'NOT_FOUND' });
    const to = fix.renderUrl === undefined ? 'processing' : 'ready';
    const ruling = decideVideo(video.status, 'person restarts');
    if (ruling.kind === 'refuse' || (to === 'processing' && ruling.kind === 'stay')) {
      return { videoId, status: video.status };
    }
    await writeJournal(c, tx, {
      event: 'marked as fixed',
      videoId,
      actor: nameActor(actor),
      from: video.status,
      to,
    });
    if (fix.renderUrl === undefined) await beginAttempt(c, tx, video, { tries: 1, delayMs: 0 });
    else {
      const values = [videoId, video.status, video.version, 'ready', video.attempt, video.tries, fix.renderUrl];
      await changes(tx, c.sql.moveVideo, values);
    }
    return { videoId, status: to };
  });
}
