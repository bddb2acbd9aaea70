/** JSON arrays of bounded size out of texts that are JSON already: joining is cheaper than serialising again. */
export interface CommaLine {
  add(text: string): void;
  chunks(): readonly { readonly text: string; readonly count: number }[];
}

export function createCommaLine(limits: { readonly itemsMax: number; readonly charsMax: number }): CommaLine {
  const done: { text: string; count: number }[] = [];
  let parts: string[] = [];
  let chars = 0;
  const close = (): void => {
    if (parts.length > 0) done.push({ text: `[${parts.join(',')}]`, count: parts.length });
    parts = [];
    chars = 0;
  };
  return {
    add(text) {
      if (parts.length >= limits.itemsMax || (chars + text.length > limits.charsMax && parts.length > 0)) close();
      parts.push(text);
      chars += text.length;
    },
    chunks() {
      close();
      return done;
    },
  };
}
