/** What serve-pages.ts puts into every page. */
interface Window {
  /** The exports of the modules that the page was asked to load. */
  // biome-ignore lint/suspicious/noExplicitAny: functions of plain modules, called with plain data
  readonly loaded: any;
  readonly ready?: true;
  tell(fields: Readonly<Record<string, string | number>>): Promise<unknown>;
  /** For what a test keeps in the page between two steps. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the test put there
  kept: any;
}
