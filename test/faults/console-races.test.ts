import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BOOTSTRAP_PASSWORD, callerOf, type SignedIn, signedInBy, signIn } from "../support/console.ts";
import { GUEST_PASSWORD, inviteGuest, type Role, tokenOf } from "../support/console-people.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { openRaw } from "../support/raw-exchange.ts";
import { waitFor } from "../support/wait.ts";

let gateway: TestGateway;
let admin: SignedIn;
let alpha = "";

beforeAll(async () => {
  gateway = await startGateway({
    catalog: "version: 1\nmodels: []\naccounts: [{ name: alpha }]\n",
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
  });
  admin = await signIn(gateway);
  alpha = admin.session.accounts[0]?.id ?? "";
});
afterAll(() => gateway?.clean());

const guest = (email: string, role: Role = "member") =>
  inviteGuest(gateway, admin, { email, account: { id: alpha, role } });

describe("A1, a right that is taken away while requests are under way", () => {
  it("is gone for a write whose body comes only then", async () => {
    const owner = await guest("leaving@example.test", "owner");
    const member = await guest("signed-out@example.test");
    const body = { email: "back-door@example.test", role: "owner" };
    const invite = heldBack(owner, `/accounts/${alpha}/invitations`, body);
    const token = heldBack(member, "/me/tokens", { name: "for later" });
    // Long enough to be let in by their heads; where it is not, this says less and still holds.
    await sleep(300);
    const removed = await admin.del(`/accounts/${alpha}/members/${owner.session.user.id}`);
    const who = { email: "signed-out@example.test", password: GUEST_PASSWORD };
    const ended = await (await signIn(gateway, who)).del("/me/sessions");
    expect([removed.status, ended.status]).toEqual([200, 200]);
    expect([await invite(), await token()]).toEqual([404, 401]);
  });

  const endings = {
    "loses the account": (person: SignedIn) =>
      admin.del(`/accounts/${alpha}/members/${person.session.user.id}`),
    "has the password reset": (person: SignedIn) =>
      admin.post(`/operator/users/${person.session.user.id}/password`),
  };
  it.each(Object.entries(endings))(
    "leaves no invitation of who sends many and %s just then",
    async (ending, end) => {
      const inviter = `${ending.replaceAll(" ", "-")}@example.test`;
      const owner = await guest(inviter, "owner");
      let invited = 0;
      const send = async (): Promise<number> => {
        const email = `accomplice-${invited++}@example.test`;
        const { status } = await owner.post(`/accounts/${alpha}/invitations`, { email, role: "owner" });
        return status === 201 ? send() : status;
      };
      const senders = Promise.all(Array.from({ length: 30 }, send));
      await waitFor("some invitations", () => invited > 100);
      expect((await end(owner)).status).toBe(200);
      for (const status of await senders) expect([401, 403, 404]).toContain(status);
      const { data } = (await admin.get(`/accounts/${alpha}/invitations?limit=200`)).body;
      expect(data.filter((each: { invited_by: string }) => each.invited_by === inviter)).toEqual([]);
    },
  );

  it.each([1, 2, 3])(
    "leaves no session of a password that was changed while somebody signed in with it (%i)",
    async (turn) => {
      const who = { email: `changing-${turn}@example.test`, password: GUEST_PASSWORD };
      const here = await guest(who.email);
      const change = { current_password: who.password, new_password: "something else entirely" };
      const changed = here.post("/me/password", change);
      // Proving a password takes a while, so some of these are proven before the change and signed in after it. With
      // the change they are as many attempts as one person has, should all of them be under way at once.
      const tries = Array.from({ length: 9 }, async (_, number) => {
        await sleep(number * 25);
        return callerOf(gateway).post("/session", who);
      });
      expect(await changed).toMatchObject({ status: 200 });
      const signedIn = (await Promise.all(tries)).filter(({ status }) => status === 200);
      const alive = await Promise.all(signedIn.map((each) => signedInBy(gateway, each).get("/session")));
      expect(alive.map(({ status }) => status)).not.toContain(200);
      expect(await here.get("/session")).toMatchObject({ status: 200 });
    },
  );

  it("leaves no console token of somebody who was making many of them as their password was reset", async () => {
    const email = "resetting@example.test";
    const person = await guest(email);
    let made = 0;
    // Takes each away again, as nobody has many; whoever makes one too late cannot.
    const make = async (): Promise<number> => {
      const { status, body } = await person.post("/me/tokens", { name: `spare ${made++}` });
      if (status !== 201) return status;
      await person.del(`/me/tokens/${body.id}`);
      return make();
    };
    const makers = Promise.all(Array.from({ length: 30 }, make));
    await waitFor("some tokens", () => made > 60);
    const reset = await admin.post(`/operator/users/${person.session.user.id}/password`);
    expect(reset.status).toBe(200);
    for (const status of await makers) expect(status).toBe(401);
    const back = await signIn(gateway, { email, password: reset.body.password });
    expect((await back.get("/me/tokens")).body.data).toEqual([]);
  });

  it("leaves no session of somebody who was accepting invitations as their password was reset", async () => {
    const who = { email: "accepting@example.test", password: GUEST_PASSWORD };
    const person = await guest(who.email);
    const doors: { browser: SignedIn; token: string }[] = [];
    for (let number = 0; number < 25; number += 1) {
      const order = { email: who.email, account: { id: alpha, role: "member" } };
      const { link } = (await admin.post("/operator/invitations", order)).body;
      doors.push({ browser: await signIn(gateway, who), token: tokenOf(link) });
    }
    const reset = admin.post(`/operator/users/${person.session.user.id}/password`);
    // Making a password takes a while, so some of these are let in before the reset and signed in after it.
    const tries = doors.map(async ({ browser, token }, number) => {
      await sleep(number * 4);
      return browser.post("/invitations/accept", { token });
    });
    expect(await reset).toMatchObject({ status: 200 });
    const accepted = (await Promise.all(tries)).filter(({ status }) => status === 200);
    const alive = await Promise.all(accepted.map((each) => signedInBy(gateway, each).get("/session")));
    expect(alive.map(({ status }) => status)).not.toContain(200);
  });
});

describe("what operators do with one person at the same time", () => {
  it("is all done, one after the other", async () => {
    const person = await guest("popular@example.test");
    const path = `/operator/users/${person.session.user.id}`;
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, number) =>
        number % 4 === 0
          ? admin.post(`${path}/password`)
          : admin.patch(path, { operator_role: number % 3 === 0 ? "operator" : null }),
      ),
    );
    expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
  });
});

/** A write of which only the head is sent. Sends the body when it is called, and gives the response's status. */
function heldBack({ cookie, session }: SignedIn, path: string, body: object): () => Promise<number> {
  const text = JSON.stringify(body);
  const line = openRaw(gateway.url);
  const head = [
    `POST /api${path} HTTP/1.1`,
    "host: localhost",
    `cookie: ${cookie}`,
    `x-faregate-csrf: ${session.csrf_token}`,
    "content-type: application/json",
    `content-length: ${text.length}`,
  ];
  line.write(`${head.join("\r\n")}\r\n\r\n`);
  return async () => {
    line.write(text);
    await waitFor("an answer", () => line.heard().includes("\r\n\r\n"));
    line.leave();
    return Number(line.heard().split(" ")[1]);
  };
}
