/** `kannuki doctor`: looks at everything Kannuki depends on and says what to do. Changes nothing. */
import { LeaseError } from '../../core/errors.ts';
import type { LeaseStore, Logger } from '../../core/ports.ts';
import type { CliContext } from '../cli-context.ts';
import { dataDirOf, inspectDataDir, openServerDatabase, openStore } from '../compose.ts';
import { checkDataDir } from '../doctor/check-data-dir.ts';
import { checkInstallation } from '../doctor/check-installation.ts';
import { checkRedis } from '../doctor/check-redis.ts';
import { checkStore } from '../doctor/check-store.ts';
import { type Finding, fail, sentenceOf, warn } from '../doctor/finding.ts';
import { exitCodes } from '../exit-codes.ts';
import { chooseStore, describeStore } from '../store-spec.ts';

export interface DoctorOptions {
  readonly store?: string;
  readonly data?: string;
  readonly json?: boolean;
}

export async function doctor(context: CliContext, options: DoctorOptions): Promise<number> {
  const { env, messages } = context;
  const dataDir = dataDirOf(options.data, env);
  const spec = chooseStore({ store: options.store, env, messages });
  const findings = [
    ...checkInstallation(),
    ...(await checkDataDir(dataDir)),
    ...(await lookInside(context, describeStore(spec), () => openStore(spec, context, dataDir))),
    ...(spec.kind === 'redis' ? await lookAtRedis(context, spec.url) : []),
  ];
  if (await hasPrivateDatabase(dataDir, options.store ?? env.KANNUKI_STORE ?? env.DATABASE_URL)) {
    const inside = await lookInside(context, 'the private database', async () => {
      const server = await openServerDatabase(context, dataDir, silent);
      return { ...server.store, close: () => server.close() };
    });
    findings.push(...inside.map((finding) => ({ ...finding, name: `private ${finding.name}` })));
  }
  const healthy = findings.every((finding) => finding.status !== 'fail');
  if (options.json) context.print(JSON.stringify({ healthy, findings }));
  else for (const finding of findings) printFinding(context, finding);
  return healthy ? exitCodes.ok : exitCodes.failed;
}

async function lookInside(
  { platform }: CliContext,
  where: string,
  open: () => Promise<LeaseStore>,
): Promise<readonly Finding[]> {
  let store: LeaseStore | undefined;
  try {
    store = await open();
    return await checkStore(store, where, platform.clock);
  } catch (error) {
    if (error instanceof LeaseError && error.code === 'in-use') {
      return [warn('store', error.message, 'stop that process to look inside')];
    }
    return [fail('store', sentenceOf(error), 'start it, or name another with --store')];
  } finally {
    await store?.close();
  }
}

/** What the server says about itself; whether it can be reached was told already. */
async function lookAtRedis({ messages }: CliContext, url: string): Promise<readonly Finding[]> {
  const { openRedis } = await import('../open-redis.ts');
  const opened = await openRedis(url, messages).catch(() => undefined);
  if (!opened) return [];
  try {
    return await checkRedis(opened.info);
  } finally {
    await opened.store.close();
  }
}

/** Whoever named a store does not ask about the one of `serve`. */
async function hasPrivateDatabase(dataDir: string, named: string | undefined): Promise<boolean> {
  if (named) return false;
  return inspectDataDir(dataDir).then(
    (made) => made !== undefined,
    () => false, // Told already, by the look at the data folder.
  );
}

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** The longest name is "private reservations: money". */
const nameWidth = 28;

const colours: Readonly<Record<Finding['status'], string>> = { ok: '32', warn: '33', fail: '31' };

function printFinding({ print, colour }: CliContext, { name, status, detail, fix }: Finding): void {
  const mark = colour ? `\u001b[${colours[status]}m${status}\u001b[0m` : status;
  print(`${mark}${' '.repeat(6 - status.length)}${name.padEnd(nameWidth)}${detail}`);
  if (fix !== undefined) print(`${' '.repeat(6 + nameWidth)}→ ${fix}`);
}
