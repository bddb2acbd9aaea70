import { platform } from '#platform';

/** Asks until it is so. Nothing tells when a row changes; a slow machine only makes it take longer. */
export async function until(holds: () => boolean | Promise<boolean>, what: string, limitMs = 20_000): Promise<void> {
  const { clock } = platform;
  const endMs = clock.monotonicMs() + limitMs;
  while (!(await holds())) {
    if (clock.monotonicMs() > endMs) throw new Error(`Waited ${limitMs} ms in vain: ${what}`);
    await new Promise<void>((resolve) => void clock.after(10, resolve));
  }
}

/** A promise to be settled from outside. */
export function gate<T = void>(): { readonly opened: Promise<T>; open(value: T): void } {
  let open: (value: T) => void = () => {};
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { opened, open: (value) => open(value) };
}
