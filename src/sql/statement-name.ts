/**
 * A name for a prepared statement that belongs to its text: two versions or two schemas on one connection never meet
 * under one name. FNV-1a, 2 × 32 bits; it only has to tell a few dozen texts of our own apart.
 */
export function statementName(verb: string, text: string): string {
  let a = 0x811c9dc5;
  let b = 0x01000193;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b);
  }
  return `kannuki_${verb}_${hex(a)}${hex(b)}`;
}

function hex(n: number): string {
  return (n >>> 0).toString(16).padStart(8, '0');
}
