import type { JobDefinition } from '../systems/jobs/index.ts';

/** What `kannuki.config.js` exports: the handlers that `kannuki serve` and `kannuki worker` run. */
export interface KannukiConfig {
  // biome-ignore lint/suspicious/noExplicitAny: payload types differ from job to job; each definition has checked its own.
  readonly jobs?: readonly JobDefinition<any, any>[];
}

/** Returns its argument; it is there for the types. */
export function defineConfig(config: KannukiConfig): KannukiConfig {
  return config;
}
