/** An attempt at a render as the jobs see it. */
import type { VideoState } from './video-table.ts';

export interface RenderAttempt {
  readonly token: string;
  readonly renderId: string | null;
  readonly state: 'asked' | 'working' | 'done' | 'failed';
  readonly status: VideoState;
  readonly current: boolean;
  readonly source: unknown;
  readonly startedAtMs: number;
  readonly nowMs: number;
}

export interface AttemptPayload {
  readonly videoId: number;
  readonly attempt: number;
}
