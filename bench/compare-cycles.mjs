/**
 * Times several ways to do the same thing. Small batches in turns, medians of the ratios within a round: a machine that
 * does other things shows in the spread, not in the ratio. `warmUp` cycles of each go before: what is compared is a
 * process that has been running for a while.
 */
export async function compareCycles(cycles, { base, batch, rounds, warmUp = batch * 2 }) {
  const names = Object.keys(cycles);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (const name of names) for (let i = 0; i < warmUp; i++) await cycles[name](i);
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 ? names : names.toReversed()) {
      const start = performance.now();
      for (let i = 0; i < batch; i++) await cycles[name](i);
      times[name].push(((performance.now() - start) * 1000) / batch);
    }
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
