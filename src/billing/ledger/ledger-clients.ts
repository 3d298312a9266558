import { sleep } from "../../base/async/timers.ts";
import { type LedgerClient, type LedgerClientOptions, openLedgerClient } from "./ledger-client.ts";

/** The journals of one process: the one new work goes to, and closed ones in which old work still settles. */
export interface LedgerClients {
  /** undefined while a new journal is being opened. */
  current(): LedgerClient | undefined;
  readonly all: ReadonlySet<LedgerClient>;
  /** Ids of all journals this process ever had. */
  readonly ownIds: ReadonlySet<string>;
  /** No further journal is opened; one that is being opened will be among `all`. */
  stop(): Promise<void>;
}

export type LedgerClientsOptions = Omit<LedgerClientOptions, "id" | "onClosed" | "onDone"> & {
  readonly newId: () => string;
};

const REOPEN_PAUSE_MS = 500;

/** Opens the first journal; whenever the current one is closed by others, another. */
export async function openLedgerClients(options: LedgerClientsOptions): Promise<LedgerClients> {
  const { log, timers } = options;
  const all = new Set<LedgerClient>();
  const ownIds = new Set<string>();
  let current: LedgerClient | undefined;
  let stopped = false;
  let reopening: Promise<void> | undefined;

  const open = async (): Promise<LedgerClient> => {
    const id = options.newId();
    // Known before its folder exists, lest this process adopt it.
    ownIds.add(id);
    const client = await openLedgerClient({
      ...options,
      id,
      onClosed: replace,
      onDone: (done) => all.delete(done),
    });
    all.add(client);
    return client;
  };

  // Others took this process for dead. What runs is settled in the closed journal; new work needs another.
  const replace = (client: LedgerClient): void => {
    if (current !== client || stopped) return;
    current = undefined;
    log.warn(
      { journal: client.journal.id },
      "journal of this process was closed: the process was silent for too long",
    );
    reopening = reopen();
  };

  const reopen = async (): Promise<void> => {
    for (let attempt = 0; !current && !stopped; attempt += 1) {
      try {
        current = await open();
      } catch (error) {
        if (attempt === 0) log.warn({ err: error }, "journal could not be opened; retrying");
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
