/** A table that counts failures by the hour and by its keys, and the failures of an hour beyond `mostOfHour` rows as one. */
export interface CountTable<Key extends string = string> {
  readonly name: string;
  readonly types: Readonly<Record<Key, "int8" | "text">>;
  /** The keys of the row that counts the rest of an hour. */
  readonly other: Readonly<Record<Key, string>>;
  readonly mostOfHour: number;
}

/** Failures of an hour that are alike. */
export interface FailureCount<Key extends string = string> {
  readonly hourMs: number;
  readonly keys: Readonly<Record<Key, string>>;
  requests: number;
  firstMs: number;
  lastMs: number;
  lastRequestId: string;
}

/** Stands for all further values of an hour. */
const OTHER = "other";

/** Failures by account and error code. */
export const FAILURE_HOURS: CountTable<"account_id" | "code"> = {
  name: "failure_hours",
  types: { account_id: "int8", code: "text" },
  other: { account_id: "0", code: OTHER },
  mostOfHour: 2_000,
};

/**
 * Errors by code, upstream and message. Messages need a limit, because vendors word some failures differently for each
 * request.
 */
export const ERROR_HOURS: CountTable<"code" | "upstream" | "message"> = {
  name: "error_hours",
  types: { code: "text", upstream: "text", message: "text" },
  other: { code: OTHER, upstream: "", message: "" },
  mostOfHour: 200,
};

/**
 * Requests with unknown keys, by address and prefix. Addresses need a limit, because a scan may come from millions of
 * them.
 */
export const UNKNOWN_KEYS: CountTable<"address" | "prefix"> = {
  name: "unknown_keys",
  types: { address: "text", prefix: "text" },
  other: { address: OTHER, prefix: "" },
  mostOfHour: 1_000,
};

/** The counts of one table that are not posted yet: at most as many as an hour of it may have, and the rest of each hour. */
export class CountBuffer<Key extends string> {
  readonly table: CountTable<Key>;
  #counts = new Map<string, FailureCount<Key>>();

  constructor(table: CountTable<Key>) {
    this.table = table;
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  add(added: FailureCount<Key>): void {
    const known = this.#counts.get(nameOf(added));
    if (known !== undefined) merge(known, added);
    else if (this.#counts.size < this.table.mostOfHour) this.#counts.set(nameOf(added), added);
    else this.#addToOther(added);
  }

  /** Gives all of them, and begins anew. */
  take(): FailureCount<Key>[] {
    const taken = [...this.#counts.values()];
    this.#counts = new Map();
    return taken;
  }

  #addToOther({ hourMs, requests, firstMs, lastMs, lastRequestId }: FailureCount<Key>): void {
    const { other } = this.table;
    const rest = { hourMs, keys: other, requests, firstMs, lastMs, lastRequestId };
    const known = this.#counts.get(nameOf(rest));
    if (known === undefined) this.#counts.set(nameOf(rest), rest);
    else merge(known, rest);
  }
}

function nameOf({ hourMs, keys }: FailureCount): string {
  return JSON.stringify([hourMs, ...Object.values(keys)]);
}

function merge(known: FailureCount, added: FailureCount): void {
  known.requests += added.requests;
  known.firstMs = Math.min(known.firstMs, added.firstMs);
  if (added.lastMs < known.lastMs) return;
  known.lastMs = added.lastMs;
  known.lastRequestId = added.lastRequestId;
}
