import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  BOOTSTRAP_PASSWORD,
  type ConsoleResponse,
  callerOf,
  FIRST_USER,
  type SignedIn,
  signedInBy,
  signIn,
  tokenCaller,
} from "../support/console.ts";
import { inviteGuest } from "../support/console-people.ts";
import {
  CLIENT_ID,
  CLIENT_SECRET,
  type FakeOidc,
  type OidcClaims,
  startFakeOidc,
} from "../support/fake-oidc.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";

/** Which subject of which provider signs in as whom: by the first verified address once, by an operator's hand else. */

let work: FakeOidc;
let other: FakeOidc;
let gateway: TestGateway;
let admin: SignedIn;
let alpha = "";

beforeAll(async () => {
  [work, other] = [await startFakeOidc(), await startFakeOidc()];
  gateway = await startGateway({
    catalog: `version: 1
models: []
settings:
  sign_in:
    self_registration: true
    oidc:
      - { id: work, name: Work, issuer: "${work.issuer}", client_id: ${CLIENT_ID} }
      - { id: other, name: Other, issuer: "${other.issuer}", client_id: ${CLIENT_ID} }
accounts: [{ name: alpha }]
`,
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD, FAREGATE_OIDC_CLIENT_SECRET: CLIENT_SECRET },
  });
  admin = await signIn(gateway);
  alpha = admin.session.accounts[0]?.id ?? "";
});
afterAll(async () => {
  await gateway?.clean();
  await work?.close();
  await other?.close();
});

const guest = (email: string) =>
  inviteGuest(gateway, admin, { email, account: { id: alpha, role: "owner" } });
const verified = (sub: string, email: string): OidcClaims => ({ sub, email, email_verified: true });

/** All a browser does, there and back. */
async function come(claims: OidcClaims, at: "work" | "other" = "work"): Promise<ConsoleResponse> {
  const { url, flow } = (await callerOf(gateway).post("/session/oidc/start", { provider: at })).body;
  const response = (at === "work" ? work : other).visit(url, claims);
  return callerOf(gateway).post("/session/oidc", { flow, response });
}

const identitiesOf = (id: string) => `/operator/users/${id}/identities`;
const REFUSED = { status: 401, body: { error: { code: "sign_in_failed" } } };

describe("a subject that nobody knows, with an address that somebody has", () => {
  it("never becomes a user who has a subject already: an address that is given to another person opens nothing", async () => {
    const person = await guest("recycled@example.test");
    expect(await come(verified("first", "recycled@example.test"))).toMatchObject({ status: 200 });
    const refused = await come(verified("second", "recycled@example.test"));
    expect(refused).toMatchObject(REFUSED);
    for (const part of ["operator", "second", work.issuer])
      expect(refused.body.error.message).toContain(part);
    const { data } = (await admin.get(identitiesOf(person.session.user.id))).body;
    expect(data.map(({ subject }: { subject: string }) => subject)).toEqual(["first"]);
    expect(await come(verified("first", "recycled@example.test"))).toMatchObject({ status: 200 });
  });

  it("nor one who has a subject of another provider, though subjects of two providers may be spelt alike", async () => {
    await guest("two@example.test");
    expect(await come(verified("same", "two@example.test"))).toMatchObject({ status: 200 });
    expect(await come(verified("same", "two@example.test"), "other")).toMatchObject(REFUSED);
    await guest("three@example.test");
    expect(await come(verified("same", "three@example.test"), "other")).toMatchObject({
      status: 200,
      body: { user: { email: "three@example.test" } },
    });
  });

  it("becomes an invited user who has none once, of many that come at the same time", async () => {
    const person = await guest("race@example.test");
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, number) => come(verified(`racer-${number}`, "race@example.test"))),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 401)).toHaveLength(11);
    expect((await admin.get(identitiesOf(person.session.user.id))).body.data).toHaveLength(1);
  });

  it.each(["admin@localhost", "Admin@LocalHost", "ADMIN@LOCALHOST"])(
    "never becomes the operator of the first start, whose address every installation has: %s",
    async (email) => {
      expect(await come(verified("climber", email))).toMatchObject(REFUSED);
      expect((await admin.get(identitiesOf(admin.session.user.id))).body.data).toEqual([]);
    },
  );

  it("counts capitals of ASCII alone as the same address, and no letter that only looks or folds alike", async () => {
    await guest("kate@example.test");
    // A Kelvin sign folds to k; the second k is Cyrillic; full-width letters are the same to NFKC.
    for (const [index, email] of [
      "\u212aate@example.test",
      "\u043aate@example.test",
      "\uff4bate@example.test",
      "kate@example.test\u200b",
      "kate@\u0435xample.test",
    ].entries())
      expect(await come(verified(`alike-${index}`, email)), email).toMatchObject(REFUSED);
    expect(await come(verified("kate", "KATE@Example.TEST"))).toMatchObject({
      status: 200,
      body: { user: { email: "kate@example.test" } },
    });
  });

  it.each(["", "x".repeat(256), "with\u0000nul"])("is none where its subject is no subject", async (sub) => {
    await guest(`odd-${sub.length}@example.test`);
    expect(await come(verified(sub, `odd-${sub.length}@example.test`))).toMatchObject(REFUSED);
  });
});

describe("an operator", () => {
  it("links a subject by hand, to the operator of the first start as well, and every change is in the log", async () => {
    const { id } = admin.session.user;
    const order = { provider: "work", subject: "the-boss" };
    const linked = await admin.post(identitiesOf(id), order);
    expect(linked).toMatchObject({
      status: 201,
      body: { provider: { id: "work", name: "Work" }, issuer: work.issuer, subject: "the-boss" },
    });
    // Whatever the provider says of the address: the subject was linked, and nothing else counts.
    expect(await come({ sub: "the-boss" })).toMatchObject({
      status: 200,
      body: { user: { email: FIRST_USER.email, is_operator: true } },
    });
    expect(await admin.post(identitiesOf(id), order)).toMatchObject({ status: 409 });
    const removed = await admin.del(`${identitiesOf(id)}/${linked.body.id}`);
    expect(removed).toMatchObject({ status: 200 });
    expect(await come({ sub: "the-boss" })).toMatchObject(REFUSED);
    expect(await admin.get("/session")).toMatchObject({ status: 200 });
    const { data } = (await admin.get("/operator/audit?limit=20")).body;
    const actions = data.map(({ action, subject }: Record<string, string>) => `${action} ${subject}`);
    for (const action of ["identity.link", "identity.unlink"])
      expect(actions).toContain(`${action} ${FIRST_USER.email}`);
  });

  it("links no subject that stands for somebody already, none of an unknown provider, and none for who does not exist", async () => {
    const [one, another] = [await guest("one@example.test"), await guest("another@example.test")];
    const [first, second] = [one.session.user.id, another.session.user.id];
    const order = { provider: "work", subject: "only-one" };
    expect(await admin.post(identitiesOf(first), order)).toMatchObject({ status: 201 });
    const taken = await admin.post(identitiesOf(second), order);
    expect(taken).toMatchObject({ status: 409 });
    expect(taken.body.error.message).toContain("one@example.test");
    expect(await admin.post(identitiesOf(second), { ...order, provider: "none" })).toMatchObject({
      status: 400,
    });
    expect(await admin.post(identitiesOf("999999999"), order)).toMatchObject({ status: 404 });
    expect(await admin.del(`${identitiesOf(second)}/999999999`)).toMatchObject({ status: 404 });
    for (const subject of ["", " ", "x".repeat(256)])
      expect(await admin.post(identitiesOf(second), { ...order, subject })).toMatchObject({ status: 400 });
  });

  it("ends by unlinking what the identity opened, and no address links that user again", async () => {
    const person = await guest("left@example.test");
    const { id } = person.session.user;
    const came = await come(verified("leaver", "left@example.test"));
    const session = signedInBy(gateway, came);
    const { token } = (await session.post("/me/tokens", { name: "script" })).body;
    const [identity] = (await admin.get(identitiesOf(id))).body.data;
    expect(await admin.del(`${identitiesOf(id)}/${identity.id}`)).toMatchObject({ status: 200 });
    for (const caller of [session, tokenCaller(gateway, token)])
      expect(await caller.get("/session")).toMatchObject({ status: 401 });
    for (const sub of ["leaver", "successor"])
      expect(await come(verified(sub, "left@example.test"))).toMatchObject(REFUSED);
    await admin.post(identitiesOf(id), { provider: "work", subject: "successor" });
    expect(await come(verified("successor", "left@example.test"))).toMatchObject({ status: 200 });
  });

  it("may not make a console token a way in for its own person: that takes a browser", async () => {
    const { token } = (await admin.post("/me/tokens", { name: "script" })).body;
    const script = tokenCaller(gateway, token);
    const order = { provider: "work", subject: "backdoor" };
    expect(await script.post(identitiesOf(admin.session.user.id), order)).toMatchObject({ status: 403 });
    const person = await guest("scripted@example.test");
    expect(await script.post(identitiesOf(person.session.user.id), order)).toMatchObject({ status: 201 });
  });
});
