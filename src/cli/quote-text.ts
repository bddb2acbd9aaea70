/** A name from outside, short and without control characters, so that it cannot take over the terminal. */
export function quoteText(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
