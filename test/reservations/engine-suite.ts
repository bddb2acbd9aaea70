import { afterAll, beforeAll, describe } from 'vitest';
import type { SqlDatabase } from '../../src/core/ports.ts';
import type { BookingEngine, OpenedEngine } from './booking-engines.ts';
import { type BookingWorld, openWorld, type WorldOptions } from './booking-world.ts';

export interface EngineTests {
  /** A fresh world. Tables are made once and emptied; `spoils` asks for tables of its own, to be changed. */
  open(options?: WorldOptions & { readonly max?: number; readonly spoils?: boolean }): Promise<BookingWorld>;
  /** Why there is none; a test skips with it. */
  missing(): string | undefined;
}

/** Tests that every engine must pass. */
export interface EngineSuite {
  readonly name: string;
  readonly define: (engine: EngineTests, engineName: string) => void;
}

export function engineSuite(name: string, define: EngineSuite['define']): EngineSuite {
  return { name, define };
}

/** One server for all suites: starting one takes longer than most of them. One world at a time. */
export function runSuites(engine: BookingEngine, suites: readonly EngineSuite[]): void {
  let opened: OpenedEngine | undefined;
  let common: SqlDatabase | undefined;
  let count = 0;
  beforeAll(async () => {
    opened = await engine.open();
  }, 240_000);
  afterAll(async () => {
    await opened?.close();
  });
  const tests: EngineTests = {
    missing: () => (opened ? undefined : `${engine.name} cannot be had here`),
    open: ({ max, spoils = false, ...options } = {}) => {
      if (!opened) throw new Error(`${engine.name} cannot be had here`);
      if (spoils || max !== undefined) {
        return openWorld(opened.database(`booking_${++count}`, max === undefined ? {} : { max }), options);
      }
      common ??= opened.database('booking');
      return openWorld(common, options);
    },
  };
  for (const { name, define } of suites) {
    // A machine that is shared can be ten times slower than a quiet one.
    describe(`${name} on ${engine.name}`, { timeout: 240_000 }, () => define(tests, engine.name));
  }
}
