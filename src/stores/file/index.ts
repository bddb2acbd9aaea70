export {
  type FencedClaim,
  type FencedFile,
  type FencedFileOptions,
  type FencedSnapshot,
  type FencedWrite,
  fencedFile,
  type LiveLease,
} from './fenced-file.ts';
export { type FileStoreOptions, fileStore } from './file-store.ts';
export { type FileSweep, type SweepFileStoreOptions, sweepFileStore } from './sweep-file-store.ts';
