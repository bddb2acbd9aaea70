/**
 * What a refused contender is told, as one JSON column that is null when the lease was granted: the owner, the
 * seconds left, whether it stands in line, and the holders of a pool. One column, because every column costs the
 * client about a microsecond per call, granted or not.
 */
export function refusal(row: string, owner: string): string {
  return `json_build_array(
            ${row}.owner, date_part('epoch', ${row}.expires_at - statement_timestamp()), ${owner} = any (${row}.queue), ${row}.holders)`;
}
