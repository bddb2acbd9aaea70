/** What of a reservation needs a person; null = nothing. Aliases: reservation, video, its refund, its payments. */
export function reservationProblem(r: string, v: string, f: string, p: string): string {
  return `case
    when ${f}.state = 'manual' then 'refund-parked'
    when ${p}.disputed then 'disputed'
    when ${p}.differs then 'payment-differs'
    when ${v}.status = 'failed' and ${r}.status = 'confirmed' then 'render-failed'
  end`;
}
