/** Those that hold so many places or more: others are let past them. `holders` has each once for every place. */
export function overShare<Holder>(least: number, holders: Iterable<Holder>): Holder[] {
  const counts = new Map<Holder, number>();
  for (const holder of holders) counts.set(holder, (counts.get(holder) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= least).map(([holder]) => holder);
}
