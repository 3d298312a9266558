import type pg from "pg";
import { describe, expect, it } from "vitest";
import { isLent } from "./pgbouncer-check.ts";
import type { Run } from "./pool.ts";

/** Two callers of a pooler; `lends` = a connection is a caller's only inside a transaction. */
function callers(lends: boolean): [Run, Run] {
  const idle = [11, 12];
  const caller = (): Run => {
    let own: number | undefined;
    return async (text) => {
      own ??= idle.shift();
      const result = { rows: [{ pid: own }] } as unknown as pg.QueryResult;
      if (lends && own !== undefined && text !== "begin") {
        idle.unshift(own);
        own = undefined;
      }
      return result;
    };
  };
  return [caller(), caller()];
}

describe("a pooler", () => {
  it("that lends connections for a transaction is told from one that leaves them", async () => {
    expect(await isLent(...callers(true))).toBe(true);
    expect(await isLent(...callers(false))).toBe(false);
  });
});
