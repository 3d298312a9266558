import { setTimeout as sleep } from "node:timers/promises";

/** The server says nothing at all. Whether it did what it was asked nobody knows, as with a lost connection. */
export class DatabaseSilentError extends Error {
  override readonly name = "DatabaseSilentError";
  /** The network's own word for it; see failureOf. */
  readonly code = "ETIMEDOUT";

  constructor() {
    super("the database server doesn't respond");
  }
}

/** Finds out that a server hangs (stopped, or behind a line that swallows packets) and ends what waits for it. */
export interface SilenceWatch {
  /**
   * Something is asked of the server: call what it gives once that is over, with whether the server answered.
   * `cut` is called, at most once, where the server is found silent meanwhile. Throws DatabaseSilentError at once
   * while the server is known to be silent.
   */
  begin(cut: (error: DatabaseSilentError) => void): (answered: boolean) => void;
  close(): void;
}

export interface SilenceOptions {
  /** Asks the server for a sign of life; resolves when it has answered, rejects when it cannot be reached. */
  ask(): Promise<void>;
  /** Called when silence begins, before what waits is cut. */
  onSilent(): void;
  /** A server that answers nothing for this long is silent. */
  readonly timeoutMs: number;
}

/**
 * A slow server and a hung one look the same to a statement that waits; what tells them apart is whether another
 * question is answered. So while something waits and nothing has been answered for a third of the time, a
 * question of its own is sent; no response to that in the rest of the time is silence, until the next
 * question is answered.
 *
 * Time is counted in beats that were felt: a process that was itself paused or busy has not listened.
 */
export function watchSilence({ ask, onSilent, timeoutMs }: SilenceOptions): SilenceWatch {
  const beatMs = timeoutMs / SILENT_AFTER_BEATS;
  const waiting = new Set<(error: DatabaseSilentError) => void>();
  let silent = false;
  let closed = false;
  let quietBeats = 0;
  let asked = false;
  let asking = false;
  let timer: NodeJS.Timeout | undefined;

  const hear = (): void => {
    quietBeats = 0;
    silent = false;
  };

  const askNow = (): void => {
    if (asking) return;
    asked = true;
    asking = true;
    void ask()
      .then(hear, () => sleep(ASK_AGAIN_BEATS * beatMs, undefined, { ref: false }))
      .finally(() => {
        asking = false;
      });
  };

  const fallSilent = (): void => {
    silent = true;
    onSilent();
    const cuts = [...waiting];
    waiting.clear();
    for (const cut of cuts) cut(new DatabaseSilentError());
  };

  const onBeat = (): void => {
    if (silent) {
      askNow();
      return;
    }
    if (waiting.size === 0) {
      rest();
      return;
    }
    quietBeats += 1;
    if (quietBeats >= ASK_AFTER_BEATS) askNow();
    if (quietBeats >= SILENT_AFTER_BEATS) fallSilent();
  };

  const rest = (): void => {
    clearInterval(timer);
    timer = undefined;
    quietBeats = 0;
  };

  return {
    begin(cut) {
      if (silent) throw new DatabaseSilentError();
      waiting.add(cut);
      // Early, so that its connection is there when it matters.
      if (!asked) askNow();
      // After what the same turn of the event loop brings from the server.
      if (!closed) timer ??= setInterval(() => setImmediate(onBeat), beatMs).unref();
      return (answered) => {
        waiting.delete(cut);
        if (answered) hear();
      };
    },
    close() {
      closed = true;
      rest();
    },
  };
}

/** Our statements take milliseconds. */
const ASK_AFTER_BEATS = 4;
const SILENT_AFTER_BEATS = 12;
/** A server that refuses connections is asked again after this: by default four times a second. */
const ASK_AGAIN_BEATS = 5;
