/**
 * A handler without code: kept in the database with its definition, run by every worker that was started with leave to
 * do so. Whoever may write one decides what those workers run.
 */
import { commandHandler } from '../handlers/command-handler.ts';
import { httpHandler } from '../handlers/http-handler.ts';
import { createTargetAllowList } from '../handlers/target-allow-list.ts';
import { JobError } from '../job-error.ts';
import type { JobHandler } from '../job-handler.ts';

export interface CommandTarget {
  readonly kind: 'command';
  /** The program and its arguments; no shell reads them. */
  readonly command: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Between SIGTERM and SIGKILL. @default 5000 */
  readonly graceMs?: number;
}

export interface HttpTarget {
  readonly kind: 'http';
  readonly url: string;
  /** @default 'POST' */
  readonly method?: 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
  /** @default 30000 */
  readonly timeoutMs?: number;
}

export type JobTarget = CommandTarget | HttpTarget;

/** What a worker may run of what is kept in the database. */
export interface TargetPolicy {
  /** Commands may be run. @default false */
  readonly commands?: boolean;
  /** Hosts and addresses that may be called: names, `*.domain`, nets, `localhost`, `public`. @default none */
  readonly allow?: readonly string[];
}

/** Throws `invalid-argument` when it could never be run. */
export function checkTarget(target: JobTarget): void {
  targetHandler(target, { commands: true, allow: [] });
}

/** Undefined: this worker has no leave to run it. */
export function targetHandler(target: JobTarget, policy: TargetPolicy): JobHandler | undefined {
  switch (target.kind) {
    case 'command': {
      const { command, cwd, env, graceMs } = target;
      const handler = commandHandler({
        command,
        ...(cwd !== undefined && { cwd }),
        ...(env && { env }),
        ...(graceMs !== undefined && { graceMs }),
      });
      return policy.commands ? handler : undefined;
    }
    case 'http': {
      const { url, method, headers, timeoutMs } = target;
      const { allow = [] } = policy;
      const handler = httpHandler({
        url,
        allow,
        ...(method && { method }),
        ...(headers && { headers }),
        ...(timeoutMs !== undefined && { timeoutMs }),
      });
      // A worker that may call nobody leaves the run to one that may.
      const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
      return createTargetAllowList(allow).allowsHost(host) ? handler : undefined;
    }
    default:
      throw new JobError('A target is of kind command or http.', { code: 'invalid-argument' });
  }
}
