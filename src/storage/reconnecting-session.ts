import { setTimeout as sleep } from "node:timers/promises";
import type { DatabaseLog } from "./database.ts";
import { type DatabaseSession, OwnerTakenError } from "./database-session.ts";

/** A session that is opened again whenever it is lost, for as long as the program stays. */
export interface ReconnectingSession<Place extends { session: DatabaseSession }> {
  /** The place of the latest session. */
  current(): Place;
  /** Stops watching; the last session is left to the caller. */
  end(): Promise<Place>;
}

/**
 * Attaches, and attaches anew after each loss until it succeeds, since an outage may last. Gives up,
 * telling `onLost`, only where another program has become the owner meanwhile or the place has changed,
 * for then this one must not go on.
 */
export async function openReconnectingSession<Place extends { url: string; session: DatabaseSession }>(
  attach: () => Promise<Place>,
  log: DatabaseLog,
  onLost: (error: Error) => void,
): Promise<ReconnectingSession<Place>> {
  let place = await attach();
  const { url } = place;
  let ending = false;
  let recovery = Promise.resolve();

  const watch = (): void => {
    void place.session.lost.then(() => {
      if (!ending) recovery = recover();
    });
  };

  const recover = async (): Promise<void> => {
    log.warn({}, "database session lost; reconnecting");
    for (let attempt = 1; !ending; attempt += 1) {
      try {
        place = await attach();
        log.info({ attempt }, "database session restored");
        watch();
        if (place.url !== url) onLost(new Error("The database has moved. Restart to follow it."));
        return;
      } catch (error) {
        if (error instanceof OwnerTakenError) return onLost(error);
        log.error({ err: error, attempt }, "database session could not be opened; retrying");
        await sleep(Math.min(100 * 2 ** attempt, MAX_PAUSE_MS));
      }
    }
  };

  watch();
  return {
    current: () => place,
    end: async () => {
      ending = true;
      await recovery;
      return place;
    },
  };
}

// Someone may be freeing disk space meanwhile; they should not wait long for us to notice.
const MAX_PAUSE_MS = 3_000;
