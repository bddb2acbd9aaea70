/**
 * Why leases were broken, for the holder who finds out later: one small file per broken grant. It is written before
 * the lease is freed, so that whoever is refused finds the reason.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { LossCause } from '../../core/ports.ts';
import { fileError } from './file-error.ts';
import { toKeyName } from './key-name.ts';

export interface BrokenGrant {
  readonly key: string;
  readonly owner: string;
  readonly token: number;
}

export interface BrokenLeases {
  write(grant: BrokenGrant, cause: { readonly by: string; readonly reason: string }): void;
  remove(grant: BrokenGrant): void;
  /** Undefined: nobody broke this grant. */
  read(grant: BrokenGrant): Extract<LossCause, { kind: 'broken' }> | undefined;
}

export function brokenLeases(dir: string): BrokenLeases {
  const folder = `${dir}/.broken`;
  const pathOf = ({ key, token }: BrokenGrant): string => `${folder}/${toKeyName(key)}~${token}.json`;
  return {
    write(grant, { by, reason }) {
      try {
        mkdirSync(folder, { recursive: true });
        writeFileSync(pathOf(grant), JSON.stringify({ ...grant, by, reason }));
      } catch (error) {
        throw fileError(error, folder, grant.key);
      }
    },
    remove(grant) {
      rmSync(pathOf(grant), { force: true });
    },
    read(grant) {
      try {
        const { owner, by, reason } = JSON.parse(readFileSync(pathOf(grant), 'utf8')) as Record<string, unknown>;
        if (owner !== grant.owner || typeof by !== 'string' || typeof reason !== 'string') return undefined;
        return { kind: 'broken', by, reason };
      } catch {
        // The reason is a courtesy; without it the loss is explained by the state alone.
        return undefined;
      }
    },
  };
}
