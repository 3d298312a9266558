import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  BOOTSTRAP_PASSWORD,
  type ConsoleResponse,
  callerOf,
  type SignedIn,
  signedInBy,
  signIn,
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

/** What an identity provider's groups and domains give, anew with each sign-in. */

let provider: FakeOidc;
let gateway: TestGateway;
let admin: SignedIn;
let alpha = "";

beforeAll(async () => {
  provider = await startFakeOidc();
  gateway = await startGateway({
    catalog: `version: 1
models: []
settings:
  sign_in:
    oidc:
      - id: work
        name: Work
        issuer: "${provider.issuer}"
        client_id: ${CLIENT_ID}
        scopes: [groups]
        groups_claim: realm_access.roles
        domains: [{ domain: acme.example, account: alpha, role: viewer }]
        groups:
          - { group: ml, account: beta, role: owner }
          - { group: ml-readers, account: beta, role: viewer }
          - { group: elsewhere, account: no such account, role: owner }
          - { group: finance, operator_role: billing }
          - { group: admins, operator_role: operator }
accounts: [{ name: alpha }, { name: beta }]
`,
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD, FAREGATE_OIDC_CLIENT_SECRET: CLIENT_SECRET },
  });
  admin = await signIn(gateway);
  alpha = admin.session.accounts.find(({ name }) => name === "alpha")?.id ?? "";
});
afterAll(async () => {
  await gateway?.clean();
  await provider?.close();
});

/** Signs in as a subject with these groups; its address is `<subject>@<domain>`, verified unless said otherwise. */
async function come(
  sub: string,
  groups: unknown = [],
  { domain = "other.example", ...more }: Partial<OidcClaims> & { domain?: string } = {},
): Promise<ConsoleResponse> {
  const { url, flow } = (await callerOf(gateway).post("/session/oidc/start", { provider: "work" })).body;
  expect(new URL(url).searchParams.get("scope")).toBe("openid email profile groups");
  const email = `${sub}@${domain}`;
  const claims = { sub, email, email_verified: true, realm_access: { roles: groups }, ...more };
  return callerOf(gateway).post("/session/oidc", { flow, response: provider.visit(url, claims) });
}

/** Roles by account, and the role of operators. */
function rolesOf({ status, body }: ConsoleResponse) {
  if (status !== 200) return body.error.code;
  const accounts = body.accounts.map(({ name, role }: { name: string; role: string }) => [name, role]);
  return { ...Object.fromEntries(accounts), operator: body.user.operator_role };
}

describe("an identity provider's groups and domains", () => {
  it.each([
    ["domain", [], { domain: "acme.example" }, { alpha: "viewer", operator: null }],
    ["capitals", [], { domain: "ACME.example" }, { alpha: "viewer", operator: null }],
    ["group", ["ml"], {}, { beta: "owner", operator: null }],
    ["highest", ["ml-readers", "ml", "finance", "admins"], {}, { beta: "owner", operator: "operator" }],
    ["both", ["ml-readers"], { domain: "acme.example" }, { alpha: "viewer", beta: "viewer", operator: null }],
    ["lone", "finance", {}, { operator: "billing" }],
    ["missing", ["elsewhere", "finance"], {}, { operator: "billing" }],
    ["stranger", ["unknown"], {}, "sign_in_failed"],
    ["lookalike", [], { domain: "notacme.example" }, "sign_in_failed"],
    ["below", [], { domain: "sub.acme.example" }, "sign_in_failed"],
    ["unverified", ["admins"], { domain: "acme.example", email_verified: false }, "sign_in_failed"],
    ["numbers", [1, { group: "admins" }], {}, "sign_in_failed"],
  ])(
    "let in by %s whom settings map, with the highest role, and nobody else",
    async (sub, groups, claims, roles) => {
      expect(rolesOf(await come(sub, groups, claims))).toEqual(roles);
    },
  );

  it("are read anew at each sign-in: who has left a group loses what it gave, and what a hand gave stays", async () => {
    const given = await come("mover", ["ml", "finance"]);
    expect(rolesOf(given)).toEqual({ beta: "owner", operator: "billing" });
    expect(rolesOf(await come("mover", ["ml-readers", "admins"]))).toEqual({
      beta: "viewer",
      operator: "operator",
    });
    const audit = (await admin.get("/operator/audit?limit=3")).body.data;
    expect(audit).toContainEqual(
      expect.objectContaining({
        action: "member.update",
        actor: "mover@other.example",
        before: { role: "owner" },
        after: { role: "viewer", by: "work" },
      }),
    );
    expect(rolesOf(await come("mover"))).toEqual({ operator: null });

    const guest = { email: "hand@other.example", account: { id: alpha, role: "member" as const } };
    await inviteGuest(gateway, admin, { ...guest, operator: "read_only" });
    expect(rolesOf(await come("hand", ["ml", "admins"]))).toEqual({
      alpha: "member",
      beta: "owner",
      operator: "read_only",
    });
    expect(rolesOf(await come("hand"))).toEqual({ alpha: "member", operator: "read_only" });
  });

  it("never make a subject the user of another, by its address", async () => {
    await come("first", ["ml"]);
    const other = await come("second", ["admins"], { email: "first@other.example" });
    expect(rolesOf(other)).toBe("sign_in_failed");
    const climber = await come("climber", ["admins"], { email: "admin@localhost" });
    expect(rolesOf(climber)).toBe("sign_in_failed");
  });

  it("refuse a token that leaves them out because there are too many, in place of taking every role", async () => {
    await come("many", ["ml"]);
    expect(rolesOf(await come("many", [], { _claim_names: { "realm_access.roles": "src1" } }))).toBe(
      "sign_in_failed",
    );
    expect(rolesOf(await come("many", ["ml"]))).toMatchObject({ beta: "owner" });
  });

  it("keep the last operator who can sign in", async () => {
    const chief = await come("chief", ["admins"]);
    const { data } = (await admin.get("/operator/users?limit=200")).body;
    const second = signedInBy(gateway, chief);
    for (const user of data)
      if (user.operator_role === "operator" && user.id !== chief.body.user.id)
        expect(await second.patch(`/operator/users/${user.id}`, { disabled: true })).toMatchObject({
          status: 200,
        });
    expect(rolesOf(await come("chief"))).toMatchObject({ operator: "operator" });
  });
});
