import { FetchFailure } from "./safe-fetch-failure.ts";

/** One fetch from its start to the last byte, over all redirects: its clock, its signal and its end. */
export interface Run {
  /** Aborts everything that belongs to the fetch. */
  readonly signal: AbortSignal;
  /** Waits for work that cannot be aborted itself, no longer than the limit of its phase. */
  during<T>(phase: "connectMs" | "firstByteMs", work: Promise<T>): Promise<T>;
  /** From here on only the whole is limited. */
  headCame(): void;
  /** To be called when this hop or the whole fetch is over, however it ended. */
  whenOver(close: () => void): void;
  /** Closes what belongs to the hop that ends with a redirect. */
  nextHop(): void;
  /** Closes everything; harmless when repeated. */
  end(): void;
  /** The meaning of an error: the reason for the abort, if it was one. */
  failure(error: unknown): FetchFailure;
}

export interface RunLimits {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly totalMs: number;
}

export function startRun(limits: RunLimits, callerSignal: AbortSignal | undefined): Run {
  const abort = new AbortController();
  const closings: (() => void)[] = [];
  let phase: NodeJS.Timeout | undefined;
  const stop = (failure: FetchFailure) => (): void => abort.abort(failure);
  const total = setTimeout(stop(late("It wasn't fetched", limits.totalMs)), limits.totalMs);
  const gone = stop(new FetchFailure("aborted", "The fetch was cancelled."));
  callerSignal?.addEventListener("abort", gone, { once: true });
  if (callerSignal?.aborted) gone();
  const aborting = aborted(abort.signal);

  return {
    signal: abort.signal,
    async during(name, work) {
      clearTimeout(phase);
      const what =
        name === "connectMs" ? "Its server didn't accept a connection" : "Its server didn't respond";
      phase = setTimeout(stop(late(what, limits[name])), limits[name]);
      // Nobody is left to catch a late result.
      work.catch(() => undefined);
      return Promise.race([work, aborting]);
    },
    headCame: () => clearTimeout(phase),
    whenOver: (close) => void closings.push(close),
    nextHop: closeAll,
    end() {
      clearTimeout(phase);
      clearTimeout(total);
      callerSignal?.removeEventListener("abort", gone);
      closeAll();
    },
    failure(error) {
      if (abort.signal.aborted) return abort.signal.reason as FetchFailure;
      if (error instanceof FetchFailure) return error;
      return new FetchFailure("broken", "The connection to its server was lost.", error);
    },
  };

  function closeAll(): void {
    for (const close of closings.splice(0)) close();
  }
}

function late(what: string, limitMs: number): FetchFailure {
  return new FetchFailure("timeout", `${what} within ${limitMs / 1000} s.`);
}

function aborted(signal: AbortSignal): Promise<never> {
  const aborting = new Promise<never>((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  // Outside the phases nobody waits for it, and whoever reads the body learns of it there.
  aborting.catch(() => undefined);
  return aborting;
}
