import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BOOTSTRAP_PASSWORD, type SignedIn, signIn } from "../support/console.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";

const CATALOG = "version: 1\nmodels: []\naccounts: [{ name: alpha }, { name: beta }]\n";
let gateway: TestGateway;
let admin: SignedIn;
let alpha = "";
let beta = "";

beforeAll(async () => {
  gateway = await startGateway({
    catalog: CATALOG,
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
  });
  admin = await signIn(gateway);
  [alpha = "", beta = ""] = admin.session.accounts.map(({ id }) => id);
});
afterAll(() => gateway?.clean());

const HEAD = "at,actor,by_token,action,subject,account,before,after,request_id,address";

async function linesOf(path: string): Promise<string[]> {
  const { status, body } = await admin.get(path);
  expect(status).toBe(200);
  return String(body).trimEnd().split("\r\n");
}

describe("the audit log as CSV", () => {
  it("has the list's entries under the same filters, newest first, and an account's in its own file", async () => {
    expect((await admin.post(`/accounts/${alpha}/keys`, { name: "first" })).status).toBe(201);
    expect((await admin.post(`/accounts/${beta}/keys`, { name: "=second" })).status).toBe(201);
    const [head, second = "", first = "", ...others] = await linesOf("/operator/audit.csv?action=key.create");
    expect([head, others]).toEqual([HEAD, []]);
    expect(first).toMatch(/Z,admin@localhost,false,key\.create,first,alpha,,"\{""name"".*\}",[^,]+,[^,]+$/);
    // A spreadsheet must take no name for a formula.
    expect(second).toContain(",key.create,'=second,beta,");
    expect(await linesOf(`/operator/audit.csv?action=key.create&account=${alpha}`)).toEqual([HEAD, first]);
    expect(await linesOf(`/accounts/${beta}/audit.csv`)).toEqual([HEAD, second]);
  });

  it("has every entry once however many there are", async () => {
    await gateway.database?.database.execute(
      `insert into audit_entries (action, subject, request_id, address)
       select 'test.many', n, 'r', '' from generate_series(1, 1203) as n`,
    );
    const lines = await linesOf("/operator/audit.csv?action=test.many");
    expect(new Set(lines.slice(1).map((line) => line.split(",")[4]))).toHaveProperty("size", 1203);
    expect(lines.length).toBe(1204);
  });
});
