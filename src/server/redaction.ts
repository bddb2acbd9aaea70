/**
 * Values that pages, answers and searches must not show, by the names they stand under. It is done here and not on the
 * page, so that what is hidden never leaves the server.
 */
export interface Redaction {
  /** The same value with `[hidden: name]` in place of what is hidden. */
  hide(value: unknown): unknown;
  hides(name: string): boolean;
}

/** Compared without case, hyphens and underscores; a name that contains one of them is hidden. */
const always = [
  'apikey',
  'authorization',
  'cardnumber',
  'cookie',
  'cvc',
  'email',
  'iban',
  'passphrase',
  'password',
  'phone',
  'privatekey',
  'secret',
  'token',
];

export function createRedaction(more: readonly string[] = []): Redaction {
  const words = [...always, ...more.map(plain).filter((word) => word !== '')];
  const hides = (name: string): boolean => words.some((word) => plain(name).includes(word));
  const hide = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(hide);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        hides(name) && inner !== null ? `[hidden: ${name}]` : hide(inner),
      ]),
    );
  };
  return { hide, hides };
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[-_\s]/g, '');
}
