/** Lines of a plain table: columns as wide as their widest cell, two spaces apart. */
export function tableLines(header: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const cells = [header, ...rows].map((row) => row.map(showCell));
  const widths = header.map((_, column) => Math.max(...cells.map((row) => displayWidth(row[column] ?? ''))));
  return cells.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - displayWidth(cell)))
      .join('  ')
      .trimEnd(),
  );
}

/** Control characters in names must not reach the terminal. */
function showCell(text: string): string {
  return [...text].map((char) => (/\p{Cc}/u.test(char) ? '\u{fffd}' : char)).join('');
}

/** East Asian wide characters take two columns. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const char of text)
    width += /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/.test(char) ? 2 : 1;
  return width;
}
