/**
 * Rows of one shape as a plain text table; numbers stand to the right.
 * @param {readonly Readonly<Record<string, unknown>>[]} rows
 */
export function formatTable(rows) {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = rows.map((row) => columns.map((column) => textOf(row[column])));
  const widths = columns.map((column, i) => Math.max(column.length, ...cells.map((line) => line[i].length)));
  const isNumber = columns.map((column) =>
    rows.every((row) => row[column] === undefined || typeof row[column] === 'number'),
  );
  const line = (texts) =>
    texts
      .map((text, i) => (isNumber[i] ? text.padStart(widths[i]) : text.padEnd(widths[i])))
      .join('  ')
      .trimEnd();
  return [line(columns), line(widths.map((width) => '─'.repeat(width))), ...cells.map(line)].join('\n');
}

function textOf(value) {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'number' || Number.isInteger(value)) return String(value);
  return Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(3);
}
