import { sleep } from "../base/timers.ts";
import { openSession, type Session, type SessionOptions } from "./session.ts";

/** The spools of one process: the one new work goes to, and closed ones in which old work still settles. */
export interface Sessions {
  /** undefined while a new spool is being opened. */
  current(): Session | undefined;
  readonly all: ReadonlySet<Session>;
  /** Ids of all spools this process ever had. */
  readonly ownIds: ReadonlySet<string>;
  /** No further spool is opened; one that is being opened will be among `all`. */
  stop(): Promise<void>;
}

export type SessionsOptions = Omit<SessionOptions, "id" | "onClosed" | "onDone"> & {
  readonly newId: () => string;
};

const REOPEN_PAUSE_MS = 500;

/** Opens the first spool; whenever the current one is closed by others, another. */
export async function openSessions(options: SessionsOptions): Promise<Sessions> {
  const { log, timers } = options;
  const all = new Set<Session>();
  const ownIds = new Set<string>();
  let current: Session | undefined;
  let stopped = false;
  let reopening: Promise<void> | undefined;

  const open = async (): Promise<Session> => {
    const id = options.newId();
    // Known before its folder exists, lest this process adopt it.
    ownIds.add(id);
    const session = await openSession({
      ...options,
      id,
      onClosed: replace,
      onDone: (done) => all.delete(done),
    });
    all.add(session);
    return session;
  };

  // Others took this process for dead. What runs is settled in the closed spool; new work needs another.
  const replace = (session: Session): void => {
    if (current !== session || stopped) return;
    current = undefined;
    log.warn({ spool: session.spool.id }, "this process was silent for so long that its spool was closed");
    reopening = reopen();
  };

  const reopen = async (): Promise<void> => {
    for (let attempt = 0; !current && !stopped; attempt += 1) {
      try {
        current = await open();
      } catch (error) {
        if (attempt === 0) log.warn({ err: error }, "a new spool cannot be opened yet");
        await sleep(timers, REOPEN_PAUSE_MS);
      }
    }
  };

  current = await open();
  return {
    current: () => current,
    all,
    ownIds,
    async stop() {
      stopped = true;
      await reopening;
    },
  };
}
