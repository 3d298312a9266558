import { assert } from "../../base/assert.ts";
import type { StatementEntry } from "./contract.ts";
import type { LedgerEntry } from "./statement-store.ts";

/** A transfer as its account reads it; `balanceAfterNanos` null = not known here. */
export function statementEntry(entry: LedgerEntry, balanceAfterNanos: bigint | null): StatementEntry {
  return {
    id: String(entry.id),
    at: entry.at.toISOString(),
    kind: kindOf(entry),
    amount_nanos: String(entry.amountNanos),
    change_nanos: String(changeOf(entry)),
    available_change_nanos: String(change(entry, AVAILABLE)),
    balance_after_nanos: balanceAfterNanos === null ? null : String(balanceAfterNanos),
    reference: referenceOf(entry.reference),
    requests: entry.requests > 0 ? entry.requests : null,
    reason: entry.reason,
  };
}

/** The change that an entry made to the balance, in nanos. */
export function changeOf(entry: LedgerEntry): bigint {
  return change(entry, OWNED);
}

const AVAILABLE: ReadonlySet<string> = new Set(["wallet", "leased"]);
const OWNED: ReadonlySet<string> = new Set([...AVAILABLE, "held"]);

function change({ from, to, amountNanos }: LedgerEntry, sides: ReadonlySet<string>): bigint {
  return amountNanos * (BigInt(sides.has(to)) - BigInt(sides.has(from)));
}

function kindOf({ kind, from, to, reference }: LedgerEntry): StatementEntry["kind"] {
  switch (kind) {
    case "opening":
    case "debit":
    case "hold":
    case "lease":
    case "return":
      return kind;
    case "credit":
      return reference.startsWith("code:") ? "code" : "credit";
    case "post":
      return from === "loss" ? "absorbed_loss" : "usage";
    case "quarantine":
      return "absorbed_loss";
    case "settle":
    case "release":
      return to === "revenue" ? "task_charge" : "task_return";
    default:
      throw new Error(`impossible: a balance has a transfer of the kind ${kind}`);
  }
}

/** `task:task_abc` -> that task; a process's own (`flush:<journal>:<number>`, `close:<journal>`) by its journal. */
function referenceOf(reference: string): StatementEntry["reference"] {
  const colon = reference.indexOf(":");
  const id = reference.slice(colon + 1);
  const type = TYPES.get(reference.slice(0, colon));
  assert(type !== undefined, `a transfer refers to ${reference}`);
  return { type, id };
}

const TYPES: ReadonlyMap<string, StatementEntry["reference"]["type"]> = new Map([
  ["account", "account"],
  ["code", "code"],
  ["task", "task"],
  ["flush", "flush"],
  ["close", "process"],
  ["record", "record"],
]);
