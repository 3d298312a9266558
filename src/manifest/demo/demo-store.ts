import type { Queryable } from "../../storage/database.ts";

/** True where nothing was ever declared: no model, no upstream, no account. */
export async function isCatalogEmpty(db: Queryable): Promise<boolean> {
  const { empty } = await db.one<{ empty: boolean }>(
    `select not exists (select from models) and not exists (select from upstreams)
            and not exists (select from accounts) as empty`,
  );
  return empty;
}

/** Marks the catalog as the demo's, whose sandbox answers at this address. */
export async function markDemo(tx: Queryable, sandboxUrl: string): Promise<void> {
  await tx.execute("insert into demo (sandbox_url) values ($1)", [sandboxUrl]);
}

/** True if the demo was ever put here. */
export async function hadDemo(db: Queryable): Promise<boolean> {
  const { found } = await db.one<{ found: boolean }>("select exists (select from demo) as found");
  return found;
}

/** True if the demo was put here and its sandbox is still what it was then: there, enabled and pointed nowhere else. */
export async function hasDemoSandbox(db: Queryable): Promise<boolean> {
  const { found } = await db.one<{ found: boolean }>(`select exists (${DEMO_SANDBOX}) as found`);
  return found;
}

/** Points the demo's sandbox at its new address; false where it is not what hasDemoSandbox() asks for. */
export async function moveDemoSandbox(tx: Queryable, sandboxUrl: string): Promise<boolean> {
  const moved = await tx.execute(`update upstreams set base_url = $1 where id in (${DEMO_SANDBOX})`, [
    sandboxUrl,
  ]);
  if (moved > 0) await tx.execute("update demo set sandbox_url = $1", [sandboxUrl]);
  return moved > 0;
}

const DEMO_SANDBOX = `select u.id from upstreams u join demo d on d.sandbox_url = u.base_url
  where u.name = 'sandbox' and u.kind = 'sandbox' and u.enabled`;
