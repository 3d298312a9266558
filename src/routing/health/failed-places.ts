import { createLru } from "../../base/lru.ts";
import type { Requester } from "./outcome.ts";

/** Equals the time for which votes on health count. */
const REMEMBERED_MS = 30_000;

/** Accounts by models; whoever is forgotten has votes again, which alone open nothing. */
const MAX_KNOWN = 20_000;

/** Two tell all there is to know. */
const MAX_PLACES = 2;

interface Failure {
  readonly place: string;
  atMs: number;
}

/** At which places the requests of each account fail: where they do at two, they and not the places are the matter. */
export interface FailedPlaces {
  note(requester: Requester, place: string, nowMs: number): void;
  /** True if the account's requests for that model failed at two places within the last 30 seconds. */
  several(requester: Requester, nowMs: number): boolean;
}

export function createFailedPlaces(): FailedPlaces {
  const failures = createLru<string, Failure[]>(MAX_KNOWN);
  const keyOf = ({ account, model }: Requester): string => `${account} ${model}`;
  return {
    note(requester, place, nowMs) {
      const key = keyOf(requester);
      const others = (failures.get(key) ?? []).filter((each) => each.place !== place);
      failures.set(key, [{ place, atMs: nowMs }, ...others].slice(0, MAX_PLACES));
    },
    several(requester, nowMs) {
      const recent = (failures.get(keyOf(requester)) ?? []).filter(
        ({ atMs }) => nowMs - atMs <= REMEMBERED_MS,
      );
      return recent.length >= MAX_PLACES;
    },
  };
}
