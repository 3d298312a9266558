/**
 * The present delay of this machine: the latest of timers here and of responses from `url`, in milliseconds. Promises
 * about time are judged with this much allowance.
 */
export async function withNoise<T>(
  url: string,
  work: () => Promise<T>,
): Promise<{ result: T; noiseMs: number }> {
  let noiseMs = 0;
  let running = true;
  const watch = async (): Promise<void> => {
    while (running) {
      const before = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 50));
      const woken = performance.now();
      await fetch(`${url}/healthz`).then((response) => response.text());
      noiseMs = Math.max(noiseMs, woken - before - 50, performance.now() - woken);
    }
  };
  const watching = watch();
  try {
    return { result: await work(), noiseMs };
  } finally {
    running = false;
    await watching;
  }
}
