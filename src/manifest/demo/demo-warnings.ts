import { readAccounts } from "../../accounts/accounts-store.ts";
import type { Queryable } from "../../storage/database.ts";
import { demoAccountWarnings } from "./demo.ts";
import { demoClashes, type ServingUpstream } from "./demo-clashes.ts";
import { hadDemo } from "./demo-store.ts";

/** Warnings about a demo that is still served beside a catalog of the operator's own. */
export async function readDemoWarnings(
  db: Queryable,
  upstreams: readonly ServingUpstream[],
): Promise<string[]> {
  const state = { upstreams, accounts: await readAccounts(db) };
  const account = (await hadDemo(db)) ? demoAccountWarnings(state, { upstreams: [], accounts: [] }, []) : [];
  return [...demoClashes(upstreams), ...account];
}
