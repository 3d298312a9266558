import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UserRow } from "../../src/console/users/contract.ts";
import { BOOTSTRAP_PASSWORD, callerOf, type SignedIn, signIn } from "../support/console.ts";
import { GUEST_PASSWORD, inviteGuest, tokenOf } from "../support/console-people.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";

const CATALOG = `version: 1
models:
  - { id: text, endpoints: [oa], context_tokens: 1000, max_output_tokens: 100, price: { input: 1, output: 2 } }
accounts: [{ name: alpha }]
`;
let gateway: TestGateway;
let admin: SignedIn;
let reader: SignedIn;
let biller: SignedIn;
let alpha = "";

beforeAll(async () => {
  gateway = await startGateway({
    catalog: CATALOG,
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
  });
  admin = await signIn(gateway);
  alpha = admin.session.accounts[0]?.id ?? "";
  reader = await inviteGuest(gateway, admin, { email: "reader@example.test", operator: "read_only" });
  biller = await inviteGuest(gateway, admin, { email: "biller@example.test", operator: "billing" });
});
afterAll(() => gateway?.clean());

const CREDIT = { amount_usd: "5", reason: "goodwill", idempotency_key: "goodwill-1" };

describe("operators who change less than everything", () => {
  it("are told in their session which role they have, and see every account", async () => {
    for (const [caller, role] of [
      [reader, "read_only"],
      [biller, "billing"],
    ] as const) {
      expect(caller.session.user).toMatchObject({ is_operator: true, operator_role: role });
      expect((await caller.get("/operator/accounts")).body.data).toMatchObject([{ name: "alpha" }]);
      expect((await caller.get(`/accounts/${alpha}/statement`)).status).toBe(200);
    }
  });

  it("name in a refusal the role that it takes", async () => {
    const credit = await reader.post(`/operator/accounts/${alpha}/adjustments`, CREDIT);
    expect([credit.status, credit.body.error.message]).toEqual([
      403,
      expect.stringContaining("it takes a billing operator"),
    ]);
    const key = await biller.post(`/accounts/${alpha}/keys`, { name: "mine" });
    expect([key.status, key.body.error.message]).toEqual([
      403,
      expect.stringContaining("an operator of the highest role"),
    ]);
  });

  it("change the prices of a model as billing operator, and nothing else of it", async () => {
    const shown = (await biller.get("/operator/models/text")).body;
    const terms = {
      endpoints: shown.endpoints,
      context_tokens: shown.context_tokens,
      max_output_tokens: 100,
      owned_by: shown.owned_by,
      price: { input: "3", output: "4" },
    };
    const priced = await biller.put("/operator/models/text", terms);
    expect([priced.status, priced.body.price]).toEqual([200, expect.objectContaining({ input: "3" })]);
    const widened = await biller.put("/operator/models/text", { ...terms, context_tokens: 2000 });
    expect([widened.status, widened.body.error.code]).toEqual([403, "forbidden"]);
    expect((await admin.get("/operator/models/text")).body.context_tokens).toBe(1000);
    expect((await admin.put("/operator/models/text", { ...terms, context_tokens: 2000 })).status).toBe(200);
  });

  it("raise nobody, themselves included, by no way there is", async () => {
    const users: UserRow[] = (await admin.get("/operator/users")).body.data;
    for (const caller of [reader, biller])
      for (const { id } of users)
        expect(await caller.patch(`/operator/users/${id}`, { operator_role: "operator" })).toMatchObject({
          status: 403,
        });
    for (const caller of [reader, biller]) {
      const order = { email: "friend@example.test", operator_role: "read_only" };
      expect(await caller.post("/operator/invitations", order)).toMatchObject({ status: 403 });
      const member = { email: "friend@example.test", role: "owner" };
      expect(await caller.post(`/accounts/${alpha}/invitations`, member)).toMatchObject({ status: 403 });
    }
  });

  it("keep a role that they have in an account themselves", async () => {
    const owner = await inviteGuest(gateway, admin, {
      email: "both@example.test",
      account: { id: alpha, role: "owner" },
      operator: "read_only",
    });
    expect((await owner.post(`/accounts/${alpha}/keys`, { name: "theirs" })).status).toBe(201);
    expect((await owner.post(`/operator/accounts/${alpha}/adjustments`, CREDIT)).status).toBe(403);
  });

  it("get another role with the next request, and never a lower one by an invitation", async () => {
    const someone = await inviteGuest(gateway, admin, { email: "rises@example.test", operator: "read_only" });
    const credit = () => someone.post(`/operator/accounts/${alpha}/adjustments`, CREDIT);
    expect((await credit()).status).toBe(403);
    const path = `/operator/users/${someone.session.user.id}`;
    expect((await admin.patch(path, { operator_role: "billing" })).body).toMatchObject({
      operator_role: "billing",
    });
    expect(await credit()).toMatchObject({ status: 200, body: { repeated: false } });
    const order = { email: "rises@example.test", operator_role: "read_only" };
    const { link } = (await admin.post("/operator/invitations", order)).body;
    const accepted = await callerOf(gateway).post("/invitations/accept", {
      token: tokenOf(link),
      password: GUEST_PASSWORD,
    });
    expect(accepted.body.user).toMatchObject({ operator_role: "billing" });
    expect((await admin.patch(path, { operator_role: null })).body).toMatchObject({ operator_role: null });
    expect((await someone.get("/operator/accounts")).status).toBe(403);
  });
});
