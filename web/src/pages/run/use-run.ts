import { useQuery } from '@tanstack/react-query';
import type { RefusalsReply, RunReply } from '../../../../src/server/index.ts';
import { callApi } from '../../api/call-api.ts';
import { useLiveInterval } from '../../shell/live-context.ts';
import { isEnded } from '../runs/run-selection.ts';

export type Run = RunReply['run'];
export type Transition = RunReply['transitions'][number];
export type Refusal = RefusalsReply['refusals'][number];

export interface RunStory extends RunReply {
  readonly refusals: readonly Refusal[];
}

/** A run, every step of it, and what was refused. Asked for more often while it is under way. */
export function useRun(id: string) {
  const everyMs = useLiveInterval(1_500);
  return useQuery({
    queryKey: ['run', id],
    refetchInterval: ({ state }) => (state.data && isEnded(state.data.run.state) ? false : everyMs),
    queryFn: async (): Promise<RunStory> => {
      const [reply, { refusals }] = await Promise.all([
        callApi<RunReply>('GET', `/api/v1/runs/${encodeURIComponent(id)}`),
        callApi<RefusalsReply>('GET', `/api/v1/runs/${encodeURIComponent(id)}/refusals`),
      ]);
      return { ...reply, refusals };
    },
  });
}
