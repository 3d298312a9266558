import type { Database } from "../../src/storage/database.ts";

/** Columns of a task that a test cares about. */
export interface StoredTask {
  readonly id: string;
  readonly account: bigint;
  readonly [column: string]: unknown;
}

/** Writes a row as accept_task would, less the money: for tests of what reads tasks. */
export async function storeTask(database: Database, { id, account, ...given }: StoredTask): Promise<void> {
  const columns = {
    id,
    request_id: `request-${id}`,
    account_id: account,
    key_id: 1n,
    group_name: "default",
    medium: "video",
    family: "videoa",
    model: "videoa-2.5",
    action: "textGenerate",
    order_json: '{"prompt":"the sea"}',
    units: "{}",
    open_ended: false,
    price_id: 1n,
    rates: "{}",
    factor_ppm: 1_000_000n,
    hold_nanos: 5n,
    ledgers: [],
    deadline_at: new Date("2099-01-01"),
    ...given,
  };
  const names = Object.keys(columns);
  await database.execute(
    `insert into tasks (${names.join(", ")}) values (${names.map((_, index) => `$${index + 1}`).join(", ")})`,
    Object.values(columns),
  );
}

export async function storeAccount(database: Database, name: string): Promise<bigint> {
  await database.execute(
    "insert into groups (name, factor_ppm) values ('default', 1000000) on conflict do nothing",
  );
  const { id } = await database.one<{ id: bigint }>(
    "insert into accounts (name, group_name) values ($1, 'default') returning id",
    [name],
  );
  return id;
}
