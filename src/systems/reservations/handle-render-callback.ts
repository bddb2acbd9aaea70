import { AppError } from './app-error.ts';
import type { RenderAttempt } from './render-attempt.ts';
import { queryOne, type ReservationsContext } from './reservations-context.ts';
import { settleRender } from './settle-render.ts';

/** A callback. Throws WEBHOOK_INVALID unless it names the secret of an attempt. */
export async function handleRenderCallback(
  c: ReservationsContext,
  input: { readonly rawBody: string; readonly query: Readonly<Record<string, string>> },
): Promise<{ readonly videoId: number; readonly ignored: boolean } | undefined> {
  const callback = c.render.readCallback(input);
  if (!callback) return undefined;
  const { videoId, attempt, attemptToken, renderId } = callback;
  const row = await queryOne<RenderAttempt>(c.database, c.sql.readRenderAttempt, [videoId, attempt]);
  const known = row && row.token === attemptToken && (row.renderId === null || row.renderId === renderId);
  if (!known) {
    throw new AppError('The callback was refused: it names no attempt of ours.', { code: 'WEBHOOK_INVALID' });
  }
  const status = await c.render.getStatus(renderId);
  if (!status || status.status === 'working') return { videoId, ignored: true };
  await settleRender(c, videoId, attempt, status);
  return { videoId, ignored: false };
}
