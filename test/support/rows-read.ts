import type { Database, Queryable } from "../../src/storage/database.ts";

interface PlanNode {
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly Plans?: readonly PlanNode[];
}

/** How many rows of tables PostgreSQL looks at for the statements of a read, whatever the machine's speed. */
export async function countRowsRead(
  database: Database,
  read: (database: Queryable) => Promise<unknown>,
): Promise<number> {
  let rows = 0;
  const watched = new Proxy(database, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name !== "query" && name !== "maybeOne") return value;
      return async (text: string, values: readonly unknown[]) => {
        const [explained] = await target.query<{ "QUERY PLAN": readonly { readonly Plan: PlanNode }[] }>(
          `explain (analyze, timing off, format json) ${text}`,
          values,
        );
        for (const { Plan } of explained?.["QUERY PLAN"] ?? []) rows += rowsOf(Plan);
        return (value as (text: string, values: readonly unknown[]) => unknown).call(target, text, values);
      };
    },
  });
  await read(watched);
  return Math.round(rows);
}

function rowsOf(node: PlanNode): number {
  const removed = (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0);
  const own =
    node["Relation Name"] === undefined ? 0 : (node["Actual Rows"] + removed) * node["Actual Loops"];
  return (node.Plans ?? []).reduce((sum, each) => sum + rowsOf(each), own);
}
