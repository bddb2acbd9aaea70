/** $1 what it remembers from now on */
export function writeSandboxBookStatement(schema: string): string {
  return `
update ${schema}.sandbox_book set memory = $1::text where id = 1`;
}
