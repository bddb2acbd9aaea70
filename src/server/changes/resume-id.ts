/**
 * What a client brings back: the incarnation of the watch and the snapshot up to which it was told. Any server of the
 * same database can go on from there. `<incarnation>-<xmin>-<xmax>-<those between that were under way>`.
 */
export interface ResumePoint {
  readonly incarnation: string;
  /** As PostgreSQL writes it: `xmin:xmax:xip,…`. */
  readonly snapshot: string;
}

/** A header must hold it. With more under way the id goes back to before all of them: told twice, never missed. */
const underWayMax = 100;

export function formatResumeId({ incarnation, snapshot }: ResumePoint): string {
  const [xmin = '', xmax = '', list = ''] = snapshot.split(':');
  const underWay = list === '' ? [] : list.split(',');
  if (underWay.length > underWayMax) return `${incarnation}-${xmin}-${xmin}-`;
  const base = BigInt(xmin);
  return `${incarnation}-${xmin}-${xmax}-${underWay.map((xid) => (BigInt(xid) - base).toString(36)).join('.')}`;
}

/** Undefined: not one of ours. */
export function parseResumeId(text: string): ResumePoint | undefined {
  const found = /^([0-9a-f]{16})-(\d{1,19})-(\d{1,19})-((?:[0-9a-z]{1,13}(?:\.[0-9a-z]{1,13}){0,99})?)$/.exec(text);
  if (!found) return undefined;
  const [, incarnation = '', xmin = '', xmax = '', list = ''] = found;
  const [from, to] = [BigInt(xmin), BigInt(xmax)];
  const underWay = (list === '' ? [] : list.split('.')).map((offset) => from + parseBase36(offset));
  const isOrdered = underWay.every((xid, at) => xid >= (underWay[at - 1] ?? from) && xid < to);
  if (from < 1n || to < from || to >= 2n ** 63n || !isOrdered) return undefined;
  return { incarnation, snapshot: `${xmin}:${xmax}:${underWay.join(',')}` };
}

function parseBase36(text: string): bigint {
  let value = 0n;
  for (const digit of text) value = value * 36n + BigInt(Number.parseInt(digit, 36));
  return value;
}
