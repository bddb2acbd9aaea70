/**
 * Runs `round` until `rounds` of them have counted. A round in which a live holder lost its lease because the machine
 * was late proves nothing about the store: it is run again, with a number of its own. Too many of them end the test.
 */
export async function repeatRounds(
  rounds: number,
  round: (name: string, counted: number) => Promise<void>,
): Promise<{ readonly late: number }> {
  let late = 0;
  for (let counted = 0; counted < rounds; ) {
    try {
      await round(`${counted}-${late}`, counted);
      counted += 1;
    } catch (error) {
      late += 1;
      if (!wasLate(error) || late > rounds + 5) throw error;
    }
  }
  return { late };
}

/** A holder that is told to go on says so itself when its time is over, and so does a worker that could not begin. */
function wasLate(error: unknown): boolean {
  return error instanceof Error && /is no longer held|was lost: |was not begun: /.test(error.message);
}
