type Work = () => void;

const waiting: Work[] = [];

/**
 * Calls back in a turn of the event loop of its own, in the order of the calls: one a turn, however many wait. For those who
 * have more to do than a turn should take and do it in slices; whoever has little to do is served between any two of them.
 * What `work` throws is uncaught, as in any callback.
 */
export function inTurnOfItsOwn(work: Work): void {
  if (waiting.push(work) === 1) setImmediate(serveOne);
}

function serveOne(): void {
  const [work] = waiting;
  // The next is due in the next turn, also where this one throws.
  if (waiting.length > 1) setImmediate(serveOne);
  waiting.shift();
  work?.();
}
