/** How many answers fell into each bucket; see the SQL function latency_bucket. */
export type Histogram = ReadonlyMap<number, number>;

/** The milliseconds that a share of all answers took at most; null where there are none. */
export function percentile(histogram: Histogram, share: number): number | null {
  const buckets = [...histogram].sort(([a], [b]) => a - b);
  const all = buckets.reduce((total, [, count]) => total + count, 0);
  const rank = share * all;
  let below = 0;
  for (const [bucket, count] of buckets) {
    if (below + count >= rank) {
      // Bucket b reaches from 2^(b/4) to 2^((b+1)/4) ms; within it times are taken as spread evenly.
      const within = (rank - below) / count;
      return Math.round(2 ** ((bucket + within) / BUCKETS_OF_AN_OCTAVE));
    }
    below += count;
  }
  return null;
}

const BUCKETS_OF_AN_OCTAVE = 4;
