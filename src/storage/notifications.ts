import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { connectionConfig, connect as open } from "./connection.ts";
import type { DatabaseLog, Subscription } from "./database.ts";
import { inSequence, type Run, runOn } from "./pool.ts";

export interface Notifications {
  /** See Database.listen. */
  listen(subscription: Subscription): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/**
 * LISTEN on one connection of its own, for all subscribers of the program. A notification is lost when
 * the connection is down, and a connection that is silently cut looks healthy; so every subscriber is
 * refreshed after each connect and on a steady beat besides.
 */
export function openNotifications(url: string, log: DatabaseLog, beatMs = INTERVAL_MS): Notifications {
  const subscribers = new Set<Subscriber>();
  let client: { query: Run; end(): Promise<void> } | undefined;
  let connecting: Promise<void> | undefined;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  const connectOnce = async (): Promise<void> => {
    const connection = new pg.Client({ ...connectionConfig(url, "faregate listen"), query_timeout: beatMs });
    const next = {
      query: inSequence((text, values) => runOn(connection, text, values)),
      end: () => connection.end(),
    };
    connection.on("error", () => undefined); // followed by "end"
    connection.on("notification", ({ channel, payload }) => deliver(channel, payload ?? ""));
    try {
      await open(connection);
      // Also visits those who subscribe meanwhile; none is missed between here and `client = next`.
      for (const subscriber of subscribers) await next.query(`listen ${subscriber.channel}`);
    } catch (error) {
      await connection.end().catch(() => undefined);
      throw error;
    }
    if (closed) return connection.end();
    connection.once("end", () => {
      if (client === next) client = undefined;
      void connect();
    });
    client = next;
    for (const subscriber of subscribers) subscriber.refresh();
  };

  const connect = (): Promise<void> => {
    connecting ??= (async () => {
      for (let attempt = 0; !closed; attempt += 1) {
        try {
          await connectOnce();
          if (attempt > 0) log.info({}, "notification connection restored");
          return;
        } catch (error) {
          if (attempt === 0)
            log.warn({ err: error }, "notification connection failed; polling caches instead");
          await sleep(Math.min(50 * 2 ** attempt, MAX_PAUSE_MS), undefined, { ref: false });
        }
      }
    })().finally(() => {
      connecting = undefined;
    });
    return connecting;
  };

  const deliver = (channel: string, payload: string): void => {
    for (const subscriber of subscribers) if (subscriber.channel === channel) subscriber.message(payload);
  };

  const onBeat = (): void => {
    for (const subscriber of subscribers) subscriber.refresh();
    // Finds a connection that is cut without a word: no response in time ends it, and "end" reconnects.
    const tested = client;
    tested?.query("select").catch(() => tested.end().catch(() => undefined));
  };

  return {
    listen: async (subscription) => {
      if (!/^[a-z_][a-z0-9_]{0,62}$/.test(subscription.channel)) {
        throw new Error(`"${subscription.channel}" is not a channel name`);
      }
      const subscriber = createSubscriber(subscription, log);
      subscribers.add(subscriber);
      timer ??= setInterval(onBeat, beatMs).unref();
      const listening = client
        ? client.query(`listen ${subscription.channel}`).then(() => subscriber.refresh())
        : connect();
      await Promise.race([listening.catch(() => undefined), sleep(FIRST_WAIT_MS, undefined, { ref: false })]);
      return async () => {
        subscribers.delete(subscriber);
        const others = [...subscribers].some(({ channel }) => channel === subscription.channel);
        if (!others) await client?.query(`unlisten ${subscription.channel}`).catch(() => undefined);
      };
    },
    close: async () => {
      closed = true;
      clearInterval(timer);
      subscribers.clear();
      await client?.end().catch(() => undefined);
    },
  };
}

// The promise is 5 s; the second is for the refresh itself.
const INTERVAL_MS = 4_000;
// A start does not wait for a server that is away: it would be told so by its other statements.
const FIRST_WAIT_MS = 5_000;
const MAX_PAUSE_MS = 2_000;

interface Subscriber {
  readonly channel: string;
  message(payload: string): void;
  refresh(): void;
}

/** Calls one refresh at a time: what arrives during one is answered by one more, not by a queue. */
function createSubscriber(subscription: Subscription, log: DatabaseLog): Subscriber {
  const { channel } = subscription;
  let running = false;
  let again = false;
  const run = async (): Promise<void> => {
    do {
      again = false;
      try {
        await subscription.refresh?.();
      } catch (error) {
        log.warn({ err: error, channel }, "cache refresh failed; retrying");
      }
    } while (again);
    running = false;
  };
  return {
    channel,
    message: (payload) => {
      try {
        subscription.onMessage(payload);
      } catch (error) {
        log.error({ err: error, channel }, "notification could not be processed");
      }
    },
    refresh: () => {
      if (running) {
        again = true;
        return;
      }
      running = true;
      void run();
    },
  };
}
