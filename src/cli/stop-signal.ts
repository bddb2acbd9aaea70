import { exitCodes } from './exit-codes.ts';

export interface StopSignal {
  readonly stopped: Promise<void>;
  forget(): void;
}

/** The first SIGINT or SIGTERM stops in order; a second one ends the process at once. */
export function listenForStop(): StopSignal {
  let hear = (): void => {};
  const stopped = new Promise<void>((resolve) => {
    let heard = false;
    hear = () => {
      if (heard) process.exit(exitCodes.interrupted);
      heard = true;
      resolve();
    };
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, hear);
  return {
    stopped,
    forget() {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, hear);
    },
  };
}
