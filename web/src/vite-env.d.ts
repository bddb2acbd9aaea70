interface ImportMetaEnv {
  /** Of the package, put in by the build. */
  readonly VITE_VERSION: string;
}
