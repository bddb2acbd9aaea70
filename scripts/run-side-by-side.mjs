/**
 * Runs stages two at a time, so that no core is idle while a test waits: beside a stage that mostly computes runs one
 * that mostly waits (`waits`: for leases to end, servers to start, pages to load). Where one kind is used up, two of
 * the other. Of those that wait the longest comes first: short ones fill the end. A stage that comes `first` has the
 * machine to itself: the others need what it makes.
 *
 * @template {{ first?: boolean, waits?: boolean, budgetSeconds?: number }} Stage
 * @template Result
 * @param {readonly Stage[]} stages
 * @param {{ run: (stage: Stage) => Promise<Result>, isStopping: () => boolean }} options
 * @returns {Promise<Result[]>} in the order of the stages; none for a stage that was not begun because we are stopping
 */
export async function runSideBySide(stages, { run, isStopping }) {
  const results = new Map();
  const left = [...stages];
  const longestWaiting = () =>
    left
      .filter(({ waits }) => waits)
      .reduce((a, b) => (a && (a.budgetSeconds ?? 0) >= (b.budgetSeconds ?? 0) ? a : b), undefined);
  const takeAll = async (chooseNext) => {
    for (let stage = chooseNext(); stage && !isStopping(); stage = chooseNext()) {
      left.splice(left.indexOf(stage), 1);
      results.set(stage, await run(stage));
    }
  };
  await takeAll(() => left.find(({ first }) => first));
  await Promise.all([
    takeAll(() => longestWaiting() ?? left[0]),
    takeAll(() => left.find(({ waits }) => !waits) ?? longestWaiting()),
  ]);
  return stages.filter((stage) => results.has(stage)).map((stage) => results.get(stage));
}
