/** Replaces each matching character by `%xx` per UTF-8 byte, as in a URL. */
export function escapeText(text: string, characters: RegExp): string {
  return text.replace(characters, (character) =>
    Array.from(Buffer.from(character, 'utf8'), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  );
}

/** Undefined: not something that `escapeText` makes. */
export function unescapeText(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
