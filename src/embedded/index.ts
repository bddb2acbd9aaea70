export type { EmbeddedEngine } from './engine-file.ts';
export { type EmbeddedDatabase, type EmbeddedOptions, openEmbedded } from './open-embedded.ts';
