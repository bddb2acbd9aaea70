/** A moment as a `Date`, for libraries that take one and for texts in ISO 8601. It reads no clock. */
export function dateOf(epochMs: number): Date {
  return new Date(epochMs);
}
