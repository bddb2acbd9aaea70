/**
 * Fences of resources: `.fences/<resource>/` contains exactly one file, `<token>.t`. A claim renames it to a higher
 * token, so of two claims the higher stays, in whatever order they come. Fences are never swept: one that is gone
 * would let an old token pass.
 */
import { LeaseError } from '../../core/errors.ts';
import { decideClaim } from '../../core/lease.ts';
import type { ClaimReply, ClaimRequest } from '../../core/ports.ts';
import { corruptFolder } from './file-error.ts';
import { isHashedName, toKeyName } from './key-name.ts';
import { createState, lookState, type StateTools, swapState } from './state-folder.ts';

export interface FileFences {
  claim(request: ClaimRequest): Promise<ClaimReply>;
}

export function fileFences(dir: string, tools: StateTools): FileFences {
  return {
    async claim({ resource, token }) {
      if (!Number.isSafeInteger(token) || token < 0) {
        throw new LeaseError(`The token of a claim on "${resource}" must be a whole number, got ${token}.`, {
          code: 'invalid-argument',
        });
      }
      const keyName = toKeyName(resource, 'resource');
      const folder = `${dir}/.fences/${keyName}`;
      // Each lost swap means that the fence has risen, so this ends.
      for (;;) {
        const fence = await lookState(tools, folder, parseFence);
        if (fence === 'empty') throw corruptFolder(folder, 'contains no fence');
        if (fence === 'missing') {
          const state = { root: dir, folder, name: '0.t', content: resource, flush: isHashedName(keyName) };
          await createState(tools, state);
          continue;
        }
        const reply = decideClaim(fence.token, token);
        if (reply.token === fence.token) return reply;
        if (await swapState(tools, folder, `${fence.token}.t`, `${token}.t`)) return reply;
      }
    },
  };
}

function parseFence(name: string): { readonly token: number } | undefined {
  const token = Number(/^(0|[1-9]\d{0,15})\.t$/.exec(name)?.[1] ?? Number.NaN);
  return Number.isSafeInteger(token) ? { token } : undefined;
}
