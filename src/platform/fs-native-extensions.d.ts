/** The part of the optional dependency that we call; it ships no types of its own. */
declare module 'fs-native-extensions' {
  /** False = another open file holds it. A length of 0 means to the end of the file. */
  export function tryLock(fd: number, offset: number, length: number, options: { readonly shared: boolean }): boolean;
}
