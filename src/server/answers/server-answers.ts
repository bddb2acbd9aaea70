/** What the routes about the server itself and about people answer. */
import { z } from 'zod';
import type { AnalysisTaskReply } from '../analysis-task-body.ts';
import { type Caller, roles } from '../authenticate.ts';

const caller = z.object({ name: z.string(), role: z.enum(roles) });

export const healthAnswer: z.ZodType<{ readonly status: 'ok' }> = z.object({ status: z.literal('ok') });

export const readinessAnswer: z.ZodType<{ readonly status: 'ready' }> = z.object({ status: z.literal('ready') });

export const callerAnswer: z.ZodType<Caller> = caller;

export const endedAnswer: z.ZodType<{ readonly ended: true }> = z.object({ ended: z.literal(true) });

export const signInCodeAnswer: z.ZodType<Caller & { readonly path: string }> = caller.extend({
  path: z.string().meta({ description: 'Of the link, on this server; it works once.' }),
});

export const analysisTaskAnswer: z.ZodType<AnalysisTaskReply> = z.object({
  outcome: z.enum(['done', 'failed', 'lost', 'skipped']),
  reason: z.string().exactOptional(),
});
