import { appendAll } from "../../base/append-all.ts";
import type { Queryable } from "../../storage/database.ts";
import {
  type LikelyHour,
  type LoggedRequest,
  readHourBounds,
  readLikelyHours,
  readRequests,
  type Wanted,
} from "./request-rows-store.ts";

/**
 * The newest wanted requests, `most` at most. Where a filter may fit few of very many rows, the sums over the log say
 * in which hours such requests were, so that the others are never read. By user, a page out of a million requests of
 * thirty days and 1,300 keys took 4 to 45 ms, whether the user had made half of them or three (index usage_key).
 */
export async function newestRequests(db: Queryable, wanted: Wanted, most: number): Promise<LoggedRequest[]> {
  if (!isSparse(wanted)) return readRequests(db, wanted, most);
  const { first, last } = await boundsOf(db, wanted);
  const found: LoggedRequest[] = [];
  // Other filters may leave less than an hour promises; then twice as much is looked through the next time.
  let promised = most;
  let spanMs = FIRST_SPAN_MS;
  for (let until = last; until > first && found.length < most; spanMs *= 2) {
    const since = new Date(Math.max(first.getTime(), until.getTime() - spanMs));
    const hours = await readLikelyHours(db, wanted, { since, until });
    for (let next = 0; next < hours.length && found.length < most; promised *= 2) {
      const some = hoursWith(hours.slice(next), promised);
      next += some.length;
      appendAll(found, await readRequests(db, wanted, most - found.length, some));
    }
    until = since;
  }
  return found;
}

/** Rare requests are looked for in the last week, then in the two before it, and so on. */
const FIRST_SPAN_MS = 7 * 86_400_000;
const HOUR_MS = 3_600_000;

/** Whole hours that hold everything wanted, from the first to before the last. */
async function boundsOf(db: Queryable, wanted: Wanted): Promise<{ first: Date; last: Date }> {
  const { accountId, from, to, after } = wanted;
  const known = await readHourBounds(db, accountId);
  const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS;
  const ends = [to?.getTime(), after && Number(after.micros / 1000n), known.last?.getTime() ?? 0];
  const last = Math.min(...ends.filter((end) => end !== undefined));
  const first = Math.max(known.first?.getTime() ?? 0, from?.getTime() ?? 0);
  return { first: new Date(hourOf(first)), last: new Date(hourOf(last) + HOUR_MS) };
}

/** People are known by the sums only. A key and an id have indexes of their own; so have the reasons that are not the usual one. */
function isSparse(wanted: Wanted): boolean {
  const { keyId, user, requestId, model, endpoint, upstream, failed, minCostNanos } = wanted;
  if (user !== undefined) return true;
  if (keyId !== undefined || requestId !== undefined) return false;
  return [model, endpoint, upstream, failed, minCostNanos].some((part) => part !== undefined);
}

/** The first of these hours, as many as it takes to promise so many requests. */
function hoursWith(hours: readonly LikelyHour[], promised: number): readonly LikelyHour[] {
  let requests = 0n;
  // The first one may lie before the place where the page begins, in part: it promises nothing.
  const last = hours.findIndex((each, index) => {
    if (index > 0) requests += each.requests;
    return requests >= promised;
  });
  return last === -1 ? hours : hours.slice(0, last + 1);
}
