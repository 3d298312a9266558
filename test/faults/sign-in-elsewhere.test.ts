import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  BOOTSTRAP_PASSWORD,
  type ConsoleResponse,
  callerOf,
  type SignedIn,
  signIn,
} from "../support/console.ts";
import { GUEST_PASSWORD, inviteGuest, tokenOf } from "../support/console-people.ts";
import {
  CLIENT_ID,
  CLIENT_SECRET,
  type FakeOidc,
  type OidcClaims,
  startFakeOidc,
} from "../support/fake-oidc.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";

let provider: FakeOidc;
let closed: TestGateway;
let open: TestGateway;
let admin: SignedIn;
let alpha = "";

beforeAll(async () => {
  provider = await startFakeOidc();
  closed = await startGateway(options(false));
  open = await startGateway(options(true));
  admin = await signIn(closed);
  alpha = admin.session.accounts[0]?.id ?? "";
});
afterAll(async () => {
  await closed?.clean();
  await open?.clean();
  await provider?.close();
});

function options(selfRegistration: boolean) {
  return {
    catalog: `version: 1
models: []
settings:
  trusted_proxies: [127.0.0.1]
  sign_in:
    self_registration: ${selfRegistration}
    oidc: [{ id: work, name: Work, issuer: "${provider.issuer}", client_id: ${CLIENT_ID} }]
accounts: [{ name: alpha }]
`,
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD, FAREGATE_OIDC_CLIENT_SECRET: CLIENT_SECRET },
  };
}

type Lie = Parameters<FakeOidc["visit"]>[2];

/** All a browser does, there and back. */
async function come(gateway: TestGateway, claims: OidcClaims, lie?: Lie): Promise<ConsoleResponse> {
  const { url, flow } = (await callerOf(gateway).post("/session/oidc/start", { provider: "work" })).body;
  return callerOf(gateway).post("/session/oidc", { flow, response: provider.visit(url, claims, lie) });
}

describe("signing in at an identity provider", () => {
  it("is offered by its name, and its secret leaves the gateway to the provider only", async () => {
    const offered = await callerOf(closed).get("/sign-in");
    expect(offered.body).toEqual({
      self_registration: false,
      sso_required: false,
      oidc: [{ id: "work", name: "Work" }],
      password_reset: false,
    });
    const { url, flow } = (await callerOf(closed).post("/session/oidc/start", { provider: "work" })).body;
    const asked = new URL(url).searchParams;
    expect(asked.get("code_challenge_method")).toBe("S256");
    expect(asked.get("redirect_uri")).toBe(`${closed.url}/sign-in/oidc`);
    for (const text of [url, flow, closed.output()]) expect(text).not.toContain(CLIENT_SECRET);
  });

  it("links a verified address to who was invited here, and knows them by the provider's subject from then on", async () => {
    await inviteGuest(closed, admin, { email: "known@example.test", account: { id: alpha, role: "member" } });
    const first = await come(closed, { sub: "7", email: "Known@Example.test", email_verified: true });
    expect(first).toMatchObject({ status: 200, body: { user: { email: "known@example.test" } } });
    const moved = await come(closed, { sub: "7", email: "moved@example.test", email_verified: true });
    expect(moved).toMatchObject({ status: 200, body: { user: { email: "known@example.test" } } });
  });

  it("believes no address that the provider has not verified", async () => {
    await inviteGuest(closed, admin, { email: "target@example.test", account: { id: alpha, role: "owner" } });
    for (const claims of [
      ...[{}, { email_verified: false }, { email_verified: "false" }, { email_verified: "" }],
      ...[{ email_verified: "TRUE" }, { email_verified: 1 }, { email_verified: ["true"] }],
    ]) {
      const response = await come(closed, { sub: "thief", email: "target@example.test", ...claims });
      expect(response).toMatchObject({ status: 401, body: { error: { code: "sign_in_failed" } } });
    }
  });

  it("takes the text true for true, as some providers write it", async () => {
    await inviteGuest(closed, admin, { email: "texts@example.test", account: { id: alpha, role: "member" } });
    const response = await come(closed, { sub: "12", email: "texts@example.test", email_verified: "true" });
    expect(response).toMatchObject({ status: 200, body: { user: { email: "texts@example.test" } } });
  });

  it("takes up an open invitation to the address, and turns away whoever nobody invited", async () => {
    const order = { email: "expected@example.test", account: { id: alpha, role: "viewer" } };
    expect(await admin.post("/operator/invitations", order)).toMatchObject({ status: 201 });
    const claims = { sub: "8", email: "expected@example.test", email_verified: true, name: "Expected" };
    expect((await come(closed, claims)).body).toMatchObject({
      user: { email: "expected@example.test", name: "Expected", is_operator: false },
      accounts: [{ id: alpha, role: "viewer" }],
    });
    const stranger = { sub: "9", email: "stranger@example.test", email_verified: true };
    expect(await come(closed, stranger)).toMatchObject({ status: 401 });
  });

  it("lets nobody in whom an operator has locked out", async () => {
    const claims = { sub: "10", email: "out@example.test", email_verified: true };
    const person = await inviteGuest(closed, admin, {
      email: claims.email,
      account: { id: alpha, role: "viewer" },
    });
    expect(await come(closed, claims)).toMatchObject({ status: 200 });
    await admin.patch(`/operator/users/${person.session.user.id}`, { disabled: true });
    expect(await come(closed, claims)).toMatchObject({ status: 401 });
  });

  it("refuses a token for somebody else, of somebody else or of another sign-in, and each answer but once", async () => {
    const claims = { sub: "7", email: "known@example.test", email_verified: true };
    for (const lie of [{ nonce: "another" }, { aud: "another" }, { iss: "https://another.example" }])
      expect(await come(closed, claims, lie)).toMatchObject({ status: 401 });
    const start = async () => (await callerOf(closed).post("/session/oidc/start", { provider: "work" })).body;
    const [mine, theirs] = [await start(), await start()];
    const response = provider.visit(theirs.url, claims);
    const finish = (flow: string) => callerOf(closed).post("/session/oidc", { flow, response });
    expect(await finish(mine.flow)).toMatchObject({ status: 401 });
    expect(await finish("fg1.forged.flow")).toMatchObject({ status: 401 });
    expect(await finish(theirs.flow)).toMatchObject({ status: 200 });
    expect(await finish(theirs.flow)).toMatchObject({ status: 401 });
  });
});

describe("self-registration", () => {
  it("gives whoever comes an account of their own in the group default, without money", async () => {
    const body = { email: "Newcomer@example.test", password: GUEST_PASSWORD };
    const registered = await callerOf(open).post("/registration", body);
    expect(registered).toMatchObject({
      status: 201,
      body: {
        user: { email: "newcomer@example.test", is_operator: false },
        accounts: [{ name: "newcomer@example.test", role: "owner" }],
      },
    });
    const caller = await signIn(open, { email: "newcomer@example.test", password: GUEST_PASSWORD });
    const [account] = caller.session.accounts;
    expect((await caller.get(`/accounts/${account?.id}/balance`)).body).toMatchObject({ balance_nanos: "0" });
    expect(await callerOf(open).post("/registration", body)).toMatchObject({ status: 409 });
  });

  it("works by an identity provider as well", async () => {
    const claims = { sub: "11", email: "comes@example.test", email_verified: true };
    expect((await come(open, claims)).body).toMatchObject({ accounts: [{ name: "comes@example.test" }] });
  });

  it("hands nobody's identity to whoever registered with their address first", async () => {
    const body = { email: "boss@example.test", password: GUEST_PASSWORD };
    expect(await callerOf(open).post("/registration", body)).toMatchObject({ status: 201 });
    const claims = { sub: "12", email: "boss@example.test", email_verified: true };
    expect(await come(open, claims)).toMatchObject({ status: 401 });
  });

  it("nor to who accepted an invitation of their own to it: an owner's link is proof of no address", async () => {
    const mine = { email: "squatter@example.test", password: GUEST_PASSWORD };
    expect(await callerOf(open).post("/registration", mine)).toMatchObject({ status: 201 });
    const squatter = await signIn(open, mine);
    const invitations = `/accounts/${squatter.session.accounts[0]?.id}/invitations`;
    const invited = await squatter.post(invitations, { email: "chief@example.test", role: "viewer" });
    const accepted = { token: tokenOf(invited.body.link), password: GUEST_PASSWORD };
    expect(await callerOf(open).post("/invitations/accept", accepted)).toMatchObject({ status: 200 });
    const claims = { sub: "13", email: "chief@example.test", email_verified: true };
    expect(await come(open, claims)).toMatchObject({ status: 401 });
  });

  it("links them once they have accepted an operator's invitation", async () => {
    const claims = { sub: "14", email: "later@example.test", email_verified: true };
    const mine = { email: claims.email, password: GUEST_PASSWORD };
    expect(await callerOf(open).post("/registration", mine)).toMatchObject({ status: 201 });
    expect(await come(open, claims)).toMatchObject({ status: 401 });
    const operator = await signIn(open);
    await inviteGuest(open, operator, {
      email: claims.email,
      account: { id: operator.session.accounts[0]?.id ?? "", role: "viewer" },
    });
    expect(await come(open, claims)).toMatchObject({
      status: 200,
      body: { user: { email: claims.email } },
    });
  });

  it("opens ten accounts for an address of the network in a quarter of an hour, not more", async () => {
    const responses: number[] = [];
    for (let number = 0; number < 11; number += 1) {
      const body = { email: `many-${number}@example.test`, password: GUEST_PASSWORD };
      responses.push((await callerOf(open).post("/registration", body)).status);
    }
    expect(responses.at(-1)).toBe(429);
    expect(responses.filter((status) => status === 201).length).toBeLessThanOrEqual(10);
  });

  it("takes all addresses of one IPv6 network for one, as whoever has one has them all", async () => {
    const register = (number: number, address: string) =>
      callerOf(open, { "x-forwarded-for": address }).post("/registration", {
        email: `roaming-${number}@example.test`,
        password: GUEST_PASSWORD,
      });
    const responses: number[] = [];
    for (let number = 1; number <= 11; number += 1)
      responses.push((await register(number, `2001:db8:1:2::${number}`)).status);
    expect(responses).toEqual([...Array.from({ length: 10 }, () => 201), 429]);
    expect((await register(12, "2001:db8:1:3::1")).status).toBe(201);
  });
});
