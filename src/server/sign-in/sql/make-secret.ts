/** $1 name, $2 secret; nothing if there is one */
export function makeSecretStatement(schema: string): string {
  return `
insert into ${schema}.server_secrets (name, secret, since) values ($1, $2, statement_timestamp())
on conflict do nothing`;
}
