/** 0 to 1 as a percentage with at most one digit behind the point. */
export function formatShare(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}
