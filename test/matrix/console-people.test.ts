import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AuditPage } from "../../src/console/audit/contract.ts";
import {
  BOOTSTRAP_PASSWORD,
  callerOf,
  type SignedIn,
  signedInBy,
  signIn,
  tokenCaller,
} from "../support/console.ts";
import { GUEST_PASSWORD, inviteGuest, tokenOf } from "../support/console-people.ts";
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

const ownerOf = (account: string, email: string) =>
  inviteGuest(gateway, admin, { email, account: { id: account, role: "owner" } });
const accept = (link: string, password?: string, caller = callerOf(gateway)) =>
  caller.post("/invitations/accept", {
    token: tokenOf(link),
    ...(password === undefined ? {} : { password }),
  });

describe("invitations", () => {
  it("let an owner bring somebody in, once, by a link whose secret is shown once and in no URL's path", async () => {
    const owner = await ownerOf(alpha, "host@example.test");
    const invited = await owner.post(`/accounts/${alpha}/invitations`, {
      email: "New@Example.test",
      role: "viewer",
    });
    expect(invited.status).toBe(201);
    const { link, id } = invited.body;
    expect(link).toMatch(/\/invitation#[\w-]{43}$/);
    const listed = (await owner.get(`/accounts/${alpha}/invitations`)).body;
    expect(listed.data).toMatchObject([{ id, email: "new@example.test", invited_by: "host@example.test" }]);
    expect(JSON.stringify(listed)).not.toContain(tokenOf(link));
    expect((await callerOf(gateway).post("/invitations/view", { token: tokenOf(link) })).body).toMatchObject({
      email: "new@example.test",
      account: "alpha",
      role: "viewer",
      operator_role: null,
    });

    expect(await accept(link, "short")).toMatchObject({ status: 400 });
    const joined = await accept(link, "the newcomer's password");
    expect(joined.body).toMatchObject({
      accounts: [{ id: alpha, role: "viewer" }],
      must_change_password: false,
    });
    expect(await accept(link, "the newcomer's password")).toMatchObject({ status: 404 });
    expect((await owner.get(`/accounts/${alpha}/invitations`)).body.data).toEqual([]);
    await signIn(gateway, { email: "new@example.test", password: "the newcomer's password" });
  });

  it("ask who has a password here for that one, and whoever is signed in for none", async () => {
    const somebody = await ownerOf(alpha, "somebody@example.test");
    const order = { email: "somebody@example.test", account: { id: beta, role: "member" } };
    const first = (await admin.post("/operator/invitations", order)).body.link;
    expect(await accept(first, "not their password")).toMatchObject({ status: 401 });
    expect((await accept(first, GUEST_PASSWORD)).body.accounts).toMatchObject([
      { id: alpha, role: "owner" },
      { id: beta, role: "member" },
    ]);
    const second = (
      await admin.post("/operator/invitations", { ...order, account: { id: beta, role: "owner" } })
    ).body.link;
    expect(await accept(second, undefined, await ownerOf(beta, "another@example.test"))).toMatchObject({
      status: 403,
    });
    const accepted = signedInBy(gateway, await accept(second, undefined, somebody));
    expect(accepted.session.accounts.find(({ id }) => id === beta)).toMatchObject({ role: "owner" });
  });

  it("never lower the role that somebody has", async () => {
    await ownerOf(beta, "keeps@example.test");
    const order = { email: "keeps@example.test", account: { id: beta, role: "viewer" } };
    const { link } = (await admin.post("/operator/invitations", order)).body;
    expect((await accept(link, GUEST_PASSWORD)).body.accounts).toMatchObject([{ role: "owner" }]);
  });

  it("open nothing once they are revoked, too old, or their maker is gone", async () => {
    const host = await ownerOf(alpha, "fickle@example.test");
    const invite = async (email: string) =>
      (await host.post(`/accounts/${alpha}/invitations`, { email, role: "owner" })).body;
    const [revoked, old, orphaned] = [
      await invite("a@b.test"),
      await invite("c@d.test"),
      await invite("e@f.test"),
    ];
    expect(await host.del(`/accounts/${alpha}/invitations/${revoked.id}`)).toMatchObject({ status: 200 });
    await gateway.database?.database.execute("update invitations set expires_at = now() where id = $1", [
      old.id,
    ]);
    await admin.del(`/accounts/${alpha}/members/${host.session.user.id}`);
    for (const { link } of [revoked, old, orphaned])
      expect(await accept(link, "a good enough password")).toMatchObject({ status: 404 });
    expect(await host.get(`/accounts/${alpha}/members`)).toMatchObject({ status: 404 });
  });

  it("of another account are as unknown as ones that never were", async () => {
    const here = await ownerOf(alpha, "here@example.test");
    const there = await ownerOf(beta, "there@example.test");
    const { id } = (await here.post(`/accounts/${alpha}/invitations`, { email: "x@y.test", role: "viewer" }))
      .body;
    const foreign = await there.del(`/accounts/${beta}/invitations/${id}`);
    const unknown = await there.del(`/accounts/${beta}/invitations/999999`);
    expect(foreign.status).toBe(404);
    expect(foreign.body.error.message.replace(/ \(.*/, "")).toBe(
      unknown.body.error.message.replace(/ \(.*/, ""),
    );
  });
});

describe("members", () => {
  it("lose and gain rights with the next request", async () => {
    const owner = await ownerOf(alpha, "chief@example.test");
    const viewer = await inviteGuest(gateway, admin, {
      email: "watcher@example.test",
      account: { id: alpha, role: "viewer" },
    });
    const path = `/accounts/${alpha}/members/${viewer.session.user.id}`;
    expect(await viewer.get(`/accounts/${alpha}/audit`)).toMatchObject({ status: 403 });
    expect(await owner.patch(path, { role: "owner" })).toMatchObject({
      status: 200,
      body: { role: "owner" },
    });
    expect(await viewer.get(`/accounts/${alpha}/audit`)).toMatchObject({ status: 200 });
    expect(await owner.del(path)).toMatchObject({ status: 200 });
    expect(await viewer.get(`/accounts/${alpha}/members`)).toMatchObject({ status: 404 });
  });

  it("always have an owner among them who can sign in, also when two go at the same time", async () => {
    const made = await admin.post("/operator/accounts", { name: "gamma", group: "default" });
    const gamma = made.body.id;
    const owners = [await ownerOf(gamma, "one@example.test"), await ownerOf(gamma, "two@example.test")];
    const responses = await Promise.all(
      owners.map((owner) => owner.del(`/accounts/${gamma}/members/${owner.session.user.id}`)),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await admin.get(`/accounts/${gamma}/members`)).body.data).toMatchObject([{ role: "owner" }]);
  });

  it("come in pages", async () => {
    const first = (await admin.get(`/accounts/${alpha}/members?limit=2`)).body;
    expect(first.data).toHaveLength(2);
    const second = (await admin.get(`/accounts/${alpha}/members?limit=200&after=${first.next}`)).body;
    const ids = [...first.data, ...second.data].map(({ user_id }: { user_id: string }) => user_id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(second.next).toBeNull();
  });

  it("are found by a part of their name or email address", async () => {
    const person = await ownerOf(alpha, "Found.Soon@example.test");
    const found = await admin.get(`/accounts/${alpha}/members?search=fOUND.s`);
    expect(found.body.data.map((row: { user_id: string }) => row.user_id)).toEqual([person.session.user.id]);
    expect((await admin.get(`/accounts/${alpha}/members?search=nobody%20at%20all`)).body.data).toEqual([]);
  });
});

describe("operators", () => {
  it("lock people out at once and let them in again", async () => {
    const person = await ownerOf(alpha, "locked@example.test");
    const path = `/operator/users/${person.session.user.id}`;
    expect(await admin.patch(path, { disabled: true })).toMatchObject({ body: { disabled: true } });
    expect(await person.get("/session")).toMatchObject({ status: 401 });
    const credentials = { email: "locked@example.test", password: GUEST_PASSWORD };
    expect(await callerOf(gateway).post("/session", credentials)).toMatchObject({ status: 401 });
    await admin.patch(path, { disabled: false });
    await signIn(gateway, credentials);
  });

  it("give a lost password anew, which must be changed before anything else", async () => {
    const person = await ownerOf(alpha, "forgetful@example.test");
    const { token } = (await person.post("/me/tokens", { name: "made with the lost one" })).body;
    expect(await tokenCaller(gateway, token).get("/session")).toMatchObject({ status: 200 });
    const { password } = (await admin.post(`/operator/users/${person.session.user.id}/password`)).body;
    for (const caller of [person, tokenCaller(gateway, token)])
      expect(await caller.get("/session")).toMatchObject({ status: 401 });
    const back = await signIn(gateway, { email: "forgetful@example.test", password });
    expect(back.session.must_change_password).toBe(true);
    expect(await back.get(`/accounts/${alpha}/members`)).toMatchObject({
      status: 403,
      body: { error: { code: "password_change_required" } },
    });
    const change = { current_password: password, new_password: "one that I remember" };
    expect(await back.post("/me/password", change)).toMatchObject({ status: 200 });
    expect(await back.get(`/accounts/${alpha}/members`)).toMatchObject({ status: 200 });
    expect((await back.get("/me/tokens")).body.data).toEqual([]);
  });

  it("leave the console tokens of whoever changes their own password as they are", async () => {
    const person = await ownerOf(alpha, "careful@example.test");
    const { token } = (await person.post("/me/tokens", { name: "script" })).body;
    const change = { current_password: GUEST_PASSWORD, new_password: "another one of my own" };
    expect(await person.post("/me/password", change)).toMatchObject({ status: 200 });
    expect(await tokenCaller(gateway, token).get("/session")).toMatchObject({ status: 200 });
  });

  it("find people by how their address begins, the latest first", async () => {
    await ownerOf(alpha, "zed-1@example.test");
    await ownerOf(beta, "zed-2@example.test");
    const { data } = (await admin.get("/operator/users?q=ZED-")).body;
    expect(data).toMatchObject([
      { email: "zed-2@example.test", accounts: [{ name: "beta", role: "owner" }] },
      { email: "zed-1@example.test" },
    ]);
    const page = (await admin.get("/operator/users?q=zed-&limit=1")).body;
    expect((await admin.get(`/operator/users?q=zed-&limit=1&after=${page.next}`)).body).toMatchObject({
      data: [{ email: "zed-1@example.test" }],
      next: null,
    });
  });

  it("cannot lock out or demote themselves, nor each other at the same time", async () => {
    const own = `/operator/users/${admin.session.user.id}`;
    expect(await admin.patch(own, { operator_role: null })).toMatchObject({ status: 409 });
    const second = await inviteGuest(gateway, admin, { email: "second@example.test", operator: true });
    const other = `/operator/users/${second.session.user.id}`;
    const demote = { operator_role: null };
    const responses = await Promise.all([admin.patch(other, demote), second.patch(own, demote)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 403]);
    if (responses[1]?.status === 200) await second.patch(own, { operator_role: "operator" });
    else expect(await second.get("/operator/users")).toMatchObject({ status: 403 });
    admin = await signIn(gateway);
  });
});

describe("the audit log", () => {
  it("says who changed what, and how it was before, to owners of theirs and to operators of all", async () => {
    const owner = await ownerOf(beta, "auditor@example.test");
    const guest = await inviteGuest(gateway, admin, {
      email: "audited@example.test",
      account: { id: beta, role: "viewer" },
    });
    await owner.patch(`/accounts/${beta}/members/${guest.session.user.id}`, { role: "member" });
    const [entry] = (await owner.get(`/accounts/${beta}/audit`)).body.data;
    expect(entry).toMatchObject({
      actor: "auditor@example.test",
      action: "member.update",
      subject: "audited@example.test",
      before: { role: "viewer" },
      after: { role: "member" },
      account: { id: beta, name: "beta" },
      by_token: false,
      address: "127.0.0.1",
    });
    const ofOwner = (await owner.get(`/accounts/${beta}/audit?limit=200`)).body.data;
    expect(new Set(ofOwner.map(({ account }: { account: { id: string } }) => account.id))).toEqual(
      new Set([beta]),
    );
    expect(await owner.get("/operator/audit")).toMatchObject({ status: 403 });
    const filters = `actor=auditor@example.test&action=member.update&account=${beta}&from=${encodeURIComponent(entry.at)}`;
    expect((await admin.get(`/operator/audit?${filters}`)).body.data).toEqual([entry]);
    expect(
      (await admin.get(`/operator/audit?until=${encodeURIComponent("2001-01-01T00:00:00Z")}`)).body,
    ).toEqual({
      data: [],
      next: null,
    });
  });

  it("comes in pages that neither repeat nor leave out an entry", async () => {
    const all = (await admin.get("/operator/audit?limit=200")).body.data.map(({ id }: { id: string }) => id);
    const paged: string[] = [];
    let next: string | null = "";
    while (next !== null && paged.length < all.length) {
      const page: AuditPage = (
        await admin.get(`/operator/audit?limit=7${next === "" ? "" : `&after=${next}`}`)
      ).body;
      paged.push(...page.data.map(({ id }) => id));
      next = page.next;
    }
    expect(paged.slice(0, all.length)).toEqual(all);
  });

  it("can only be added to", async () => {
    await expect(gateway.database?.database.execute("delete from audit_entries")).rejects.toThrow(
      "only ever added to",
    );
  });
});
