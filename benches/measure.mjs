// Median times in one process; the two ways alternate so that a busy machine hurts both alike.
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

/** The time of `ours` over the time of `theirs`: medians of `rounds` alternating runs. */
export async function ratio(ours, theirs, rounds = 15) {
  const times = [[], []];
  for (let round = -2; round < rounds; round += 1) {
    for (const [index, work] of [ours, theirs].entries()) {
      globalThis.gc?.();
      const started = performance.now();
      await work();
      if (round >= 0) times[index].push(performance.now() - started);
    }
  }
  const [mine, other] = times.map(median);
  return { ratio: mine / other, note: `${mine.toFixed(2)} ms against ${other.toFixed(2)} ms` };
}
