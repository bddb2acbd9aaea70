/**
 * Leases in files, for the processes of one machine. One folder per key that always contains exactly one file, whose
 * name is the whole state; `rename` from the name read to the name wanted is the compare-and-swap.
 *
 *   <dir>/<key>.lease/<state>       the lease (lease-name.ts, state-folder.ts); its file contains the key
 *   <dir>/.pools/<key>/<record>     holders of a shared or counted lease (pool-record.ts)
 *   <dir>/.fences/<resource>/       fences raised by `claim` (file-fences.ts)
 *   <dir>/.broken/                  why leases were broken (broken-leases.ts)
 *   <dir>/.new-*, <dir>/.swept/     half-made and half-removed folders, swept by age (sweep-file-store.ts)
 *
 * Acquire, renew, release and break are one rename each. Whoever dies between two of them leaves the state before or
 * after. Who is authoritative: the name in the folder. When a holder is stale: lease-judge.ts.
 */
import { watch as watchFolder } from 'node:fs';
import { resolve } from 'node:path';
import { platform } from '#platform';
import { LeaseError } from '../../core/errors.ts';
import { followsPlace } from '../../core/follows-place.ts';
import { decideAcquire, decideBreak, decideRelease, decideRenew } from '../../core/lease.ts';
import { checkShare } from '../../core/lease-arguments.ts';
import type {
  AcquireReply,
  AcquireRequest,
  BreakReply,
  Clock,
  LeaseInfo,
  LeaseStore,
  LossCause,
  Random,
  ReleaseRequest,
  RenewRequest,
} from '../../core/ports.ts';
import { type BootClock, bootClock } from '../../platform/boot-clock.ts';
import { brokenLeases } from './broken-leases.ts';
import { fileFences } from './file-fences.ts';
import { currentHolderProcess, unknownHolderProcess } from './holder-process.ts';
import { leaseFolders } from './lease-folders.ts';
import { leaseJudge } from './lease-judge.ts';
import { escapeOwner } from './lease-name.ts';
import { isNetworkDisk } from './network-disk.ts';
import { pause } from './pause.ts';

export interface FileStoreOptions {
  /** Folder of the leases, on a local disk; made when it is first needed. Never a synchronised folder. */
  readonly dir: string;
  /**
   * A holder whose process has ended loses its leases at once instead of at the end of their TTL. Linux only; turn it
   * off where a process holds leases for others, as a server does. @default true
   */
  readonly releaseOnCrash?: boolean;
  /** The wall clock that tokens are made of, and timers for short pauses. @default the platform's clock */
  readonly clock?: Clock;
  /** The clock that ends are read on; all processes must share it. @default the machine's */
  readonly boot?: BootClock;
  /** @default the platform's */
  readonly random?: Random;
}

/** Leases in the files of a folder. */
export function fileStore(options: FileStoreOptions): LeaseStore {
  const { releaseOnCrash = true, clock = platform.clock, boot = bootClock(), random = platform.random } = options;
  const dir = resolve(options.dir);
  let shared: boolean | undefined;
  const isShared = (): boolean => {
    shared ??= isNetworkDisk(dir);
    return shared;
  };
  const judge = leaseJudge({ boot, releaseOnCrash, isShared });
  const holderProcess = releaseOnCrash ? currentHolderProcess : () => unknownHolderProcess;
  const folders = leaseFolders({ dir, clock, boot, random, judge, holderProcess });
  const fences = fileFences(dir, { clock, random });
  const broken = brokenLeases(dir);
  const watches = new Set<() => void>();
  let closed = false;

  const checkOpen = (): void => {
    if (closed) throw new LeaseError(`The file store in "${dir}" was closed.`, { code: 'closed' });
  };

  function acquire({ key, owner, ttlMs, share }: Omit<AcquireRequest, 'line'>): Promise<AcquireReply> {
    const wanted = { owner, ttlMs: Math.ceil(ttlMs), line: false, ...(share && { share }) };
    return folders.step<AcquireReply>(key, true, (record, nowUs) => {
      const decision = decideAcquire(record, wanted, nowUs);
      if (decision.granted) return { reply: { granted: true, ...decision.numbers }, next: decision.record };
      const { holder } = decision;
      const known = holder && { holder: holder.owner, remainingMs: (holder.endUs - nowUs) / 1000 };
      return { reply: { granted: false, token: record.token, inLine: false, ...known } };
    });
  }

  function release({ key, owner, token, acceptMs }: ReleaseRequest): Promise<boolean> {
    return folders.step<boolean>(key, false, (record, nowUs) => {
      const decision = decideRelease(record, { owner, token, acceptMs }, nowUs);
      return decision ? { reply: true, next: decision.record } : { reply: false };
    });
  }

  async function renew({ key, owner, token, ttlMs }: RenewRequest): Promise<boolean> {
    try {
      return await folders.step<boolean>(key, false, (record, nowUs) => {
        const next = decideRenew(record, { owner, token, ttlMs: Math.ceil(ttlMs) }, nowUs);
        return next ? { reply: true, next } : { reply: false };
      });
    } catch (error) {
      // Nobody can say who holds it, so its holder must stop; the other leases of the beat are not its hostages.
      if (error instanceof LeaseError && error.code === 'store-corrupt') return false;
      throw error;
    }
  }

  async function readHolders(key: string): Promise<readonly LeaseInfo[]> {
    return folders.step<readonly LeaseInfo[]>(key, false, (record, nowUs) => ({
      reply: record.holders
        .filter((holder) => holder.endUs > nowUs)
        .map(({ owner, token, endUs, share }) => {
          const info = { key, owner, token, remainingMs: (endUs - nowUs) / 1000, waiting: 0 };
          return share ? { ...info, share } : info;
        })
        .sort((a, b) => a.token - b.token),
    }));
  }

  return {
    name: 'file',
    capabilities: {
      line: {
        no: 'The name of one file is the whole state, there is no room for a line; waiters are woken by fs.watch and poll; not FIFO between processes.',
      },
      shared: true,
      counted: true,
      several: true,
      fences: true,
      durable: true,
      network: { no: 'Ends are read on the clock of one machine; use PostgreSQL for several.' },
    },
    async acquire(request) {
      checkOpen();
      if (request.share) {
        checkShare(request.share);
        escapeOwner(request.owner);
      }
      return acquire(request);
    },
    async acquireAll({ keys, owner, ttlMs }) {
      checkOpen();
      const tokens: { key: string; token: number; lastToken: number }[] = [];
      // Nobody waits while holding, so there is no deadlock; the order only makes mutual refusals rare.
      const undo = async (): Promise<void> => {
        for (const { key, lastToken } of tokens.reverse()) await release({ key, owner, token: lastToken, acceptMs: 0 });
      };
      try {
        for (const key of keys) {
          const reply = await acquire({ key, owner, ttlMs });
          if (reply.granted) {
            tokens.push({ key, token: reply.token, lastToken: reply.lastToken });
            continue;
          }
          await undo();
          const { holder, remainingMs } = reply;
          return {
            granted: false,
            key,
            ...(holder !== undefined && remainingMs !== undefined && { holder, remainingMs }),
          };
        }
        return { granted: true, tokens };
      } catch (error) {
        // What cannot be given back now ends by its TTL; the first error says why.
        await undo().catch(() => undefined);
        throw error;
      }
    },
    async renew(requests) {
      checkOpen();
      const answers: boolean[] = [];
      let failure: unknown;
      for (const request of requests) {
        if (answers.length % renewalsPerTurn === renewalsPerTurn - 1) await pause(clock, 0);
        answers.push(
          await renew(request).catch((error: unknown) => {
            failure ??= error;
            return false;
          }),
        );
      }
      if (failure !== undefined) throw failure;
      return answers;
    },
    async release(request) {
      checkOpen();
      return release(request);
    },
    async leave() {
      checkOpen();
      return false;
    },
    async breakLease({ key, reason, by, acceptMs }) {
      checkOpen();
      return folders.step<BreakReply>(key, false, (record, nowUs) => {
        const decision = decideBreak(record, acceptMs, nowUs);
        if (!decision) return { reply: { broken: false } };
        const grants = decision.broken.map(({ owner, token }) => ({ key, owner, token }));
        const { record: next } = decision;
        return {
          reply: { broken: true, holders: grants.map(({ owner }) => owner), token: next.token },
          next,
          prepare: () => {
            for (const grant of grants) broken.write(grant, { by, reason });
            return () => {
              for (const grant of grants) broken.remove(grant);
            };
          },
        };
      });
    },
    async explainLoss({ key, owner, token }): Promise<LossCause> {
      const cause = broken.read({ key, owner, token });
      if (cause) return cause;
      const other = (await readHolders(key)).find((holder) => holder.owner !== owner);
      return other ? { kind: 'taken', holder: other.owner } : { kind: 'expired' };
    },
    async list({ prefix = '', after, limit }) {
      checkOpen();
      const infos: LeaseInfo[] = [];
      const keys = (await folders.keys(prefix)).filter((key) => key >= (after?.key ?? ''));
      for (const [i, key] of keys.entries()) {
        if (infos.length >= limit) break;
        if (i % renewalsPerTurn === renewalsPerTurn - 1) await pause(clock, 0);
        infos.push(...(await readHolders(key)).filter((info) => followsPlace(info, after)));
      }
      return infos.slice(0, limit);
    },
    async claim(request) {
      checkOpen();
      return fences.claim(request);
    },
    async subscribe() {
      throw new LeaseError('The file store has no line, so it sends no notices; use watch.', { code: 'unsupported' });
    },
    watch(key, onChange) {
      const stop = watchForChange(folders.folderOf(key), clock, onChange);
      watches.add(stop);
      return {
        close() {
          watches.delete(stop);
          stop();
        },
      };
    },
    async close() {
      closed = true;
      for (const stop of watches) stop();
      watches.clear();
    },
  };
}

/** Steps after which the event loop gets its turn, since each step is synchronous: about 5 ms. */
const renewalsPerTurn = 256;

/**
 * Calls back on changes in a folder. It starts one turn later, since most leases are free and a watch costs more than
 * an acquire; what changed meanwhile is made good by one call. Where nothing can be watched there is no hint.
 */
function watchForChange(folder: string, clock: Clock, onChange: () => void): () => void {
  let stopWatching: (() => void) | undefined;
  const start = clock.after(
    0,
    () => {
      try {
        const watcher = watchFolder(folder, { persistent: false }, () => onChange());
        stopWatching = () => watcher.close();
        watcher.on('error', stopWatching);
        onChange();
      } catch {
        return;
      }
    },
    { background: true },
  );
  return () => {
    start.cancel();
    stopWatching?.();
  };
}
