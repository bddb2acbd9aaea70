/** $1 name */
export function readSecretStatement(schema: string): string {
  return `
select s.secret from ${schema}.server_secrets s where s.name = $1`;
}
