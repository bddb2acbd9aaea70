import { arch, availableParallelism, cpus, platform, totalmem } from 'node:os';

/** What figures were seen on. A figure without its machine and date says nothing. */
export function describeMachine() {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${arch()}`,
    node: process.version,
    date: new Date().toISOString(),
  };
}
