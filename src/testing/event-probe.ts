export interface EventProbe<T> {
  /** Give this to whatever tells events. */
  readonly record: (event: T) => void;
  /**
   * The earliest matching event, past or future, that no earlier `next` has taken. It waits for ever: the limit is
   * the test's own.
   */
  next<S extends T = T>(matches?: ((event: T) => event is S) | ((event: T) => boolean)): Promise<S>;
  /** Everything heard so far, in order. */
  all(): readonly T[];
  /** Throws when a matching event was heard, taken or not. */
  expectNone(matches: (event: T) => boolean, what?: string): void;
}

/** Collects events, so that a test waits for what happens and never for milliseconds. */
export function eventProbe<T>(): EventProbe<T> {
  const heard: T[] = [];
  const untaken: T[] = [];
  const waiting: { readonly matches: (event: T) => boolean; readonly take: (event: T) => void }[] = [];

  return {
    record(event) {
      heard.push(event);
      const first = waiting.findIndex(({ matches }) => matches(event));
      if (first < 0) untaken.push(event);
      else for (const waiter of waiting.splice(first, 1)) waiter.take(event);
    },
    next<S extends T>(matches: (event: T) => boolean = () => true): Promise<S> {
      return new Promise<T>((take) => {
        const past = untaken.findIndex(matches);
        if (past < 0) waiting.push({ matches, take });
        else for (const event of untaken.splice(past, 1)) take(event);
      }) as Promise<S>;
    },
    all: () => [...heard],
    expectNone(matches, what = 'such event') {
      const found = heard.find(matches);
      if (found !== undefined) throw new Error(`Expected no ${what}, but heard ${JSON.stringify(found)}.`);
    },
  };
}
