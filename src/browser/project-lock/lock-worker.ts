/** The dedicated worker: it keeps the record and the heartbeat, because a hidden page's timers may be a minute late. */
import { clock, fraction } from '../../platform/browser.ts';
import { openByHandle } from './open-record.ts';
import type { OpenFiles } from './ports.ts';
import { createRecordKeeper } from './record-keeper.ts';
import type { WorkerCall, WorkerMessage } from './worker-keeper.ts';

/** The part of a dedicated worker's scope that is used. */
interface WorkerScope {
  postMessage(message: WorkerMessage): void;
  onmessage: (event: { readonly data: WorkerCall }) => void;
}

const scope = globalThis as unknown as WorkerScope;
const files = (() => navigator.storage.getDirectory()) as unknown as OpenFiles;
const keeper = createRecordKeeper(files, openByHandle, clock, fraction, (...report) => scope.postMessage([0, report]));

scope.onmessage = async ({ data: [id, name, args] }) => {
  const call = keeper[name] as (...args: readonly unknown[]) => Promise<unknown>;
  scope.postMessage([id, await call(...args)]);
};
scope.postMessage([]);
