/**
 * For a RETURNING clause: this statement's own transaction commits without waiting for the disk. It would relax the
 * whole transaction around it, so the statement must stand alone.
 */
export function relaxCommit(relaxed: boolean): string {
  return relaxed ? `,\n          set_config('synchronous_commit', 'off', true) as relaxed` : '';
}
