import type { AccountRole } from "../api/session.ts";

/** A page of the menu: below `/accounts/{account}` or `/operator`, with the letter that follows `g`, or a digit where all have a page. */
interface Destination<Name extends string> {
  readonly name: Name;
  /** "" is the area's own address. */
  readonly path: string;
  readonly letter: string;
  /** The least role that may see it. */
  readonly role?: AccountRole;
}

export const ACCOUNT_PAGES = [
  { name: "home", path: "", letter: "h" },
  { name: "keys", path: "/keys", letter: "k" },
  { name: "models", path: "/models", letter: "m" },
  { name: "playground", path: "/playground", letter: "y", role: "member" },
  { name: "requests", path: "/requests", letter: "r" },
  { name: "tasks", path: "/tasks", letter: "t" },
  { name: "assets", path: "/assets", letter: "a" },
  { name: "spending", path: "/spending", letter: "s" },
  { name: "budgets", path: "/budgets", letter: "j" },
  { name: "statement", path: "/statement", letter: "l" },
  { name: "members", path: "/members", letter: "p" },
  { name: "audit", path: "/audit", letter: "i", role: "owner" },
] as const satisfies readonly Destination<string>[];

export const OPERATOR_PAGES = [
  { name: "traffic", path: "/traffic", letter: "f" },
  { name: "requests", path: "/requests", letter: "w" },
  { name: "errors", path: "/errors", letter: "z" },
  { name: "spending", path: "/spending", letter: "1" },
  { name: "upstreams", path: "/upstreams", letter: "u" },
  { name: "catalog", path: "/catalog", letter: "c" },
  { name: "accounts", path: "/accounts", letter: "n" },
  { name: "users", path: "/users", letter: "o" },
  { name: "codes", path: "/codes", letter: "v" },
  { name: "queue", path: "/queue", letter: "q" },
  { name: "ledger", path: "/ledger", letter: "b" },
  { name: "reconcile", path: "/reconcile", letter: "x" },
  { name: "audit", path: "/audit", letter: "d" },
  { name: "settings", path: "/settings", letter: "e" },
] as const satisfies readonly Destination<string>[];
