/** Newest first; `beforeVersion` is the last one of the page before. */
export interface VersionPage {
  /** @default 100 */
  readonly limit?: number;
  readonly beforeVersion?: number;
}
