/**
 * Times several ways to do the same thing. Small batches in turns, medians of the ratios within a round: a machine that
 * does other things shows in the spread, not in the ratio. `warmUp` cycles of each go before: what is compared is a
 * process that has been running for a while.
 */
export function compareCycles(cycles, { warmUp, ...sizes }) {
  const turnOf = (cycle) => async (count) => {
    const start = performance.now();
    for (let i = 0; i < count; i++) await cycle(i);
    return ((performance.now() - start) * 1000) / count;
  };
  const turns = Object.fromEntries(Object.entries(cycles).map(([name, cycle]) => [name, turnOf(cycle)]));
  return compareTurns(turns, { warmUp: warmUp ?? sizes.batch * 2, ...sizes });
}

/** The same where each way times itself: `turns[name](count)` does so many cycles and tells the microseconds of one. */
export async function compareTurns(turns, { base, batch, rounds, warmUp }) {
  const names = Object.keys(turns);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (const name of names) await turns[name](warmUp);
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 ? names : names.toReversed()) times[name].push(await turns[name](batch));
  }
  return names.map((name) => ({
    cycle: name,
    microseconds: Math.round(median(times[name])),
    ...Object.fromEntries(
      base.map((reference) => [
        `speed × ${reference}`,
        median(times[name].map((time, i) => times[reference][i] / time)),
      ]),
    ),
  }));
}

export function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}
