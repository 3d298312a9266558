import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { systemTimers } from "../../base/async/timers.ts";
import { systemClock } from "../../base/clock.ts";
import { decodeSettings } from "../../catalog/settings.ts";
import { events, json, type Operation, reply, text } from "../../console/operation.ts";
import { GatewayError } from "../../errors.ts";
import { silentLog } from "../../observe/log.ts";
import type { Identity, SignedInUser } from "../../users/identity.ts";
import { BodyMemory } from "../body/body-memory.ts";
import { createRouter } from "../core/router.ts";
import type { HttpDeps } from "../deps.ts";
import { consoleRoutes } from "./routes.ts";

const PERSON = {
  isOperator: true,
  mustChangePassword: false,
  accountNames: [],
  roles: new Map(),
} as unknown as SignedInUser;
const SESSION: Identity = { via: "session", user: PERSON, sessionId: 1n, provider: null, csrfToken: "word" };

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

interface Response {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape
  readonly body: any;
}
type Ask = (
  method: string,
  path: string,
  headers?: Record<string, string>,
  body?: unknown,
) => Promise<Response>;

async function serve(
  operations: readonly Operation[],
  identity: Identity | null | (() => Identity | undefined) = SESSION,
): Promise<Ask> {
  const users = {
    identify: () => Promise.resolve(typeof identity === "function" ? identity() : (identity ?? undefined)),
    audit: () => Promise.resolve(),
  };
  const deps = {
    log: silentLog,
    stopping: new AbortController().signal,
    errorType: "gateway_error",
    catalog: { current: () => ({ settings: { trustedProxies: [], signIn: decodeSettings({}).signIn } }) },
    bodies: new BodyMemory({ limitBytes: () => 1e9, clock: systemClock, timers: systemTimers }),
    console: { operations, users, database: undefined, publicUrl: async () => "http://127.0.0.1" },
  } as unknown as HttpDeps;
  const router = createRouter(deps);
  consoleRoutes(router, deps);
  const server = createServer(router.serve);
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return async (method, path, headers = {}, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : null,
    };
  };
}

const own = { path: "/things/{thing}", policy: "user", tag: "things", summary: "Things" } as const;
const write = json({
  ...own,
  method: "PUT",
  body: z.strictObject({ size: z.number() }),
  response: z.object({ size: z.number() }),
  async run({ body, audit }) {
    await audit(undefined as never, { action: "thing.resize", subject: "it" });
    return body;
  },
});
const WORD = { "x-faregate-csrf": "word" };

describe("the console's routes", () => {
  it("run an operation with what the path, the query and the body say", async () => {
    const read = json({
      ...own,
      method: "GET",
      query: z.object({ limit: z.coerce.number().max(200).default(50) }),
      response: z.unknown(),
      makes: true,
      run: ({ params, query }) => reply({ ...params, ...query }, { cookies: ["a=b"] }),
    });
    const ask = await serve([read, write]);
    const response = await ask("GET", "/api/things/a%2Fb?limit=7");
    expect([response.status, response.body]).toEqual([201, { thing: "a/b", limit: 7 }]);
    expect([response.headers.get("set-cookie"), response.headers.get("cache-control")]).toEqual([
      "a=b",
      "no-store",
    ]);
    expect((await ask("GET", "/api/things/1?limit=900")).body.error).toMatchObject({ param: "limit" });
    expect((await ask("DELETE", "/api/things/1")).status).toBe(405);
    expect((await ask("PUT", "/api/things/1", WORD, { size: 2 })).body).toEqual({ size: 2 });
  });

  it("refuse a write without the session's word, from another site, or that is no JSON", async () => {
    const ask = await serve([write]);
    const codes = async (headers: Record<string, string>) => {
      const { status, body } = await ask("PUT", "/api/things/1", headers, { size: 2 });
      return [status, body.error.code];
    };
    expect(await codes({})).toEqual([403, "csrf_failed"]);
    expect(await codes({ "x-faregate-csrf": "wrong" })).toEqual([403, "csrf_failed"]);
    expect(await codes({ ...WORD, "sec-fetch-site": "cross-site" })).toEqual([403, "csrf_failed"]);
    expect(await codes({ ...WORD, "content-type": "text/plain" })).toEqual([415, "unsupported_media_type"]);
    const wrong = await ask("PUT", "/api/things/1", WORD, { size: "2" });
    expect([wrong.status, wrong.body.error.param]).toEqual([400, "size"]);
  });

  it("refuse more values than any form has before a schema looks at them", async () => {
    const ask = await serve([write]);
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, 1]));
    for (const body of [fields(60_000), { size: fields(60_000) }, { size: Array(60_000).fill(0) }]) {
      const { status, body: told } = await ask("PUT", "/api/things/1", WORD, body);
      expect([status, told.error.message]).toEqual([400, expect.stringContaining("more than 20000 values")]);
    }
    const few = await ask("PUT", "/api/things/1", WORD, { size: 2, ...fields(15_000) });
    expect([few.status, few.body.error.param]).toEqual([400, "f0"]);
  });

  it("want a user, and no word of a session from a token, which may be for reading only", async () => {
    const put = async (identity: Identity | null) =>
      (await serve([write], identity))("PUT", "/api/things/1", {}, { size: 2 });
    expect((await put(null)).status).toBe(401);
    const token = {
      via: "token",
      user: PERSON,
      tokenId: 1n,
      accountId: null,
      allowedAddresses: null,
    } as const;
    expect((await put({ ...token, scopes: ["all"] })).status).toBe(200);
    const refused = await put({ ...token, scopes: ["read", "keys"] });
    expect([refused.status, refused.body.error.code]).toEqual([403, "forbidden"]);
  });

  it("ask who writes once more when the body is there, as it may come minutes behind its head", async () => {
    const known = [SESSION];
    const ask = await serve([write], () => known.pop());
    const { status, body } = await ask("PUT", "/api/things/1", WORD, { size: 2 });
    expect([status, body.error.code]).toEqual([401, "not_signed_in"]);
  });

  it("fail a write that leaves no trace in the audit log", async () => {
    const silent = { ...own, method: "POST", response: z.unknown(), run: () => ({}) } as const;
    const ask = await serve([json(silent), json({ ...silent, path: "/known", unaudited: "a test" })]);
    expect((await ask("POST", "/api/things/1", WORD)).status).toBe(500);
    expect((await ask("POST", "/api/known", WORD)).status).toBe(200);
  });

  it("write a record only from the state that the write names, and fail one that does not look", async () => {
    const record = { ...own, response: z.object({ revision: z.string() }), conditional: true } as const;
    const read = json({ ...record, method: "GET", run: () => ({ revision: "one" }) });
    const replace = json({
      ...record,
      method: "PUT",
      unaudited: "a test",
      run({ expectRevision }) {
        expectRevision("one");
        return { revision: "two" };
      },
    });
    const remove = json({
      ...own,
      method: "DELETE",
      unaudited: "a test",
      conditional: true,
      response: z.object({ removed: z.boolean() }),
      run({ expectRevision }) {
        expectRevision("one");
        return { removed: true };
      },
    });
    const blind = json({ ...record, method: "PATCH", unaudited: "a test", run: () => ({ revision: "two" }) });
    const ask = await serve([read, replace, remove, blind]);
    expect((await ask("GET", "/api/things/1")).headers.get("etag")).toBe('"one"');
    const put = (tags: string) => ask("PUT", "/api/things/1", { ...WORD, "if-match": tags });
    expect((await put('"none", "one"')).headers.get("etag")).toBe('"two"');
    expect((await put("*")).status).toBe(200);
    for (const tags of ['"two"', 'W/"one"', '""']) {
      const { status, body, headers } = await put(tags);
      expect([status, body.error.code, headers.get("etag")]).toEqual([412, "changed_meanwhile", null]);
    }
    for (const tags of ["one", '"one', '"one" "two"', "", '"one",'])
      expect([tags, (await put(tags)).status]).toEqual([tags, 400]);
    const del = (tag: string) => ask("DELETE", "/api/things/1", { ...WORD, "if-match": tag });
    expect((await del('"two"')).status).toBe(412);
    const { status, headers } = await del('"one"');
    expect([status, headers.get("etag")]).toEqual([200, null]);
    expect((await ask("PATCH", "/api/things/1", WORD)).status).toBe(500);
  });

  it("send events and long texts piece by piece", async () => {
    const pieces = async function* <T>(...values: T[]): AsyncGenerator<T> {
      yield* values;
    };
    const file = { ...own, path: "/file", contentType: "text/csv", fileName: () => "things.csv" };
    const ask = await serve([
      events({ ...own, event: z.unknown(), run: () => pieces({ n: 1 }, { n: 2 }) }),
      text({ ...file, run: () => pieces("a,b\n", "1,2\n") }),
    ]);
    expect((await ask("GET", "/api/things/1")).text).toBe('data: {"n":1}\n\ndata: {"n":2}\n\n');
    const { text: csv, headers } = await ask("GET", "/api/file");
    expect([csv, headers.get("content-disposition")]).toEqual([
      "a,b\n1,2\n",
      'attachment; filename="things.csv"',
    ]);
  });

  it("leave nothing behind on an answer for each time its reader was slow", async () => {
    const long = async function* (): AsyncGenerator<string> {
      for (let n = 0; n < 30; n += 1) yield "x".repeat(2 ** 20);
    };
    const warnings: Error[] = [];
    const warned = (warning: Error) => void warnings.push(warning);
    process.on("warning", warned);
    const file = { ...own, contentType: "text/csv", fileName: () => "things.csv" };
    const response = await (await serve([text({ ...file, run: long })]))("GET", "/api/things/1");
    process.off("warning", warned);
    expect([response.text.length, warnings]).toEqual([30 * 2 ** 20, []]);
  });

  it("refuse a text as anything else is refused, as long as nothing of it was sent", async () => {
    const refusing = async function* (size: number): AsyncGenerator<string> {
      if (Number.isNaN(size)) throw new GatewayError("invalid_request", "No number.", { param: "size" });
      yield "a,b\n";
    };
    const file = { ...own, contentType: "text/csv", fileName: () => "things.csv" };
    const ask = await serve([text({ ...file, run: () => refusing(Number.NaN) })]);
    const { status, body, headers } = await ask("GET", "/api/things/1");
    expect([status, body.error.param, headers.get("content-disposition")]).toEqual([400, "size", null]);
  });

  it("know nothing by a name with a NUL in it, which no database takes", async () => {
    const read = json({ ...own, method: "GET", response: z.unknown(), run: ({ params }) => params });
    const { status, body } = await (await serve([read]))("GET", "/api/things/a%00b");
    expect([status, body.error.code]).toEqual([404, "not_found"]);
  });

  it("refuse texts that no database keeps as they are: with a NUL, or with half of a character", async () => {
    const keep = { ...own, body: z.object({ name: z.string() }), response: z.unknown(), unaudited: "a test" };
    const ask = await serve([json({ ...keep, method: "POST", run: ({ body }) => body })]);
    const put = (name: string) => ask("POST", "/api/things/1", WORD, { name });
    expect((await put("\u{1f600}")).body).toEqual({ name: "\u{1f600}" });
    for (const name of ["a\0", "a\ud83d", "\ude00"]) {
      const { status, body } = await put(name);
      expect([status, body.error.param]).toEqual([400, "name"]);
    }
  });

  it("cut a text that fails midway, so that nobody takes a part for the whole", async () => {
    const failing = async function* (): AsyncGenerator<string> {
      yield "a,b\n";
      throw new Error("the database went away");
    };
    const file = { ...own, contentType: "text/csv", fileName: () => "things.csv" };
    const ask = await serve([text({ ...file, run: failing })]);
    await expect(ask("GET", "/api/things/1")).rejects.toThrow();
  });
});
