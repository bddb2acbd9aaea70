import { clock as browserClock, fraction as browserFraction, newUuid } from '../../platform/browser.ts';
import { assembleTabLock } from './assemble-tab-lock.ts';
import { browserChannel, browserLocks, startWorker } from './browser-tab-lock.ts';
import { createPageKeeper } from './page-keeper.ts';
import type { CreateProjectLockOptions, ProjectLock } from './project-lock.ts';
import { projectLockOf } from './project-lock-of.ts';
import * as rareParts from './rare-parts.ts';
import { uuid } from './uuid.ts';

/** A project lock over the browser's own parts, or over those given. One per tab. */
export function createProjectLock(options: CreateProjectLockOptions = {}): ProjectLock {
  const { clock = browserClock, random, workerUrl, coolDownMs, files = rareParts.files } = options;
  const newId = random ? () => uuid(random) : newUuid;
  const { locks = browserLocks(), channel = browserChannel(), ownerId = newId() } = options;
  // It must fit into a slot of the record, however it is escaped.
  if (new TextEncoder().encode(JSON.stringify(ownerId)).length > 130) throw new RangeError('ownerId is too long.');
  return projectLockOf(
    assembleTabLock({
      clock,
      newId,
      locks,
      channel,
      ownerId,
      coolDownMs,
      rare: async () => ({
        ...rareParts,
        files,
        keeper: async (tab, report) =>
          createPageKeeper(tab, report, files, random ? () => random.fraction() : browserFraction),
      }),
      worker() {
        if (options.files || workerUrl === null) return undefined;
        return workerUrl ? new Worker(workerUrl, { type: 'module' }) : startWorker();
      },
    }),
  );
}
