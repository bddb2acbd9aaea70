/** $1 user, $2 title, $3 what the renderer is given → its id */
export function addFilmStatement(schema: string): string {
  return `
insert into ${schema}.videos (user_id, title, video_type, source)
values ($1::bigint, $2::text, 'paid', $3::text::jsonb)
returning id`;
}
