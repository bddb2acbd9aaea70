import { limits } from './limits.ts';

/**
 * A grant id is `<process>.<n>@<name>`: the process's own random id (notices are addressed by it), a number new for
 * every attempt, and a name for people. It says who asks, and it makes a repeated request recognisable.
 */
export function grantId(process: string, n: number, name: string): string {
  return `${process}.${n}@${name}`;
}

/** The process part: whom a notice is for. */
export function processOf(owner: string): string {
  const dot = owner.indexOf('.');
  return dot < 0 ? owner : owner.slice(0, dot);
}

/** The name for people: "web-1:4242". */
export function nameOf(owner: string): string {
  const at = owner.indexOf('@');
  return at < 0 ? owner : owner.slice(at + 1);
}

/** A process name made safe for records, channels and file names. */
export function safeProcessName(name: string): string {
  return name.replace(/[^A-Za-z0-9:_-]+/g, '-').slice(0, limits.processNameMax) || 'process';
}
