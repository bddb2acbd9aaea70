export type {
  AutoSave,
  AutoSaveOptions,
  AutoSaveSnapshot,
  RestoreOffer,
} from './auto-save.ts';
export { AutoSaveError, type AutoSaveErrorCode } from './auto-save-error.ts';
export type { AutoSavePhase } from './auto-save-phase.ts';
export { initAutoSave } from './init-auto-save.ts';
export type { AutoSaveChannel, AutoSaveDirectory, MovableFile, OpenAutoSaveFiles, PageEvents } from './ports.ts';
export type { SavedVersion } from './saved-file.ts';
