/** $1 Message-ID, $2 to, $3 template, $4 language, $5 subject, $6 text. The same mail again is counted. */
export function storeMailStatement(schema: string): string {
  return `
insert into ${schema}.sandbox_mails (message_id, recipient, template, locale, subject, body, at)
values ($1::text, $2::text, $3::text, $4::text, $5::text, $6::text, statement_timestamp())
on conflict (message_id) do update set copies = sandbox_mails.copies + 1`;
}
