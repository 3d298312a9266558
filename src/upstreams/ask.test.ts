import { afterEach, describe, expect, it } from "vitest";
import { OK, PATIENT, transportRig, until } from "../../test/support/transport-rig.ts";
import type { Upstream } from "../catalog/catalog.ts";
import { askPath, askTimeouts } from "./ask.ts";
import type { UpstreamAsk } from "./call.ts";

const rig = transportRig();
afterEach(() => rig.reset());

describe("a whole request for a whole answer", () => {
  it("carries method, path, credential and body, and brings status, headers and body", async () => {
    const upstream = await rig.serve(
      ({ socket }) =>
        socket.write(
          "HTTP/1.1 429 Slow\r\nRetry-After: 7\r\nx-a: 1\r\nx-a: 2\r\ncontent-length: 2\r\n\r\nno",
        ),
      { kind: "ark", baseUrl: "" },
    );
    const outcome = await rig.transport.ask(
      askOf(
        { ...upstream, baseUrl: `${rig.server.url}/below` },
        { method: "POST", path: "/api/v3/x", headers: { "X-Async": "enable" }, body: Buffer.from('{"a":1}') },
      ),
    );
    expect(outcome).toEqual({
      type: "answered",
      response: {
        status: 429,
        headers: { "retry-after": "7", "x-a": "1, 2", "content-length": "2" },
        body: Buffer.from("no"),
      },
    });
    const [request] = rig.server.requests;
    expect(request?.line).toBe("POST /below/api/v3/x HTTP/1.1");
    expect(request?.body.toString()).toBe('{"a":1}');
    expect(Object.fromEntries(request?.headers ?? [])).toMatchObject({
      "x-async": "enable",
      "content-type": "application/json",
      "content-length": "7",
      "x-request-id": "request-1",
      authorization: "Bearer their-key",
    });
    expect(rig.transport.inFlight(upstream.id)).toBe(0);
  });

  it("carries no credential where the request is signed, and no body where it has none", async () => {
    const upstream = await rig.serve(({ socket }) => socket.write(`${OK}content-length: 0\r\n\r\n`));
    await rig.transport.ask({ ...askOf(upstream, { method: "DELETE", path: "/x" }), credential: null });
    const names = rig.server.requests[0]?.headers.map(([name]) => name) ?? [];
    expect(names).not.toContain("authorization");
    expect(names).not.toContain("x-api-key");
    expect(names).not.toContain("content-type");
  });

  it("is sent once, also where a kept connection is closed just as it is used: it may make a task", async () => {
    const upstream = await rig.serve(({ socket }) => {
      if (rig.server.requests.length === 1) socket.write(`${OK}content-length: 2\r\n\r\nok`);
      else socket.destroy();
    });
    expect(await rig.transport.ask(askOf(upstream))).toMatchObject({ type: "answered" });
    expect(await rig.transport.ask(askOf(upstream))).toMatchObject({ failure: { kind: "closed" } });
    expect(rig.server.requests.length).toBe(2);
  });

  it("counts as running, and waits for nobody beyond max_concurrency", async () => {
    const upstream = await rig.serve(() => undefined, { maxConcurrency: 1 });
    const first = rig.transport.ask(askOf(upstream));
    await until(() => rig.server.requests.length === 1);
    expect(rig.transport.inFlight(upstream.id)).toBe(1);
    expect(await rig.transport.ask(askOf(upstream))).toMatchObject({
      type: "failed",
      failure: { kind: "busy", phase: "connect" },
    });
    for (const socket of rig.server.open) socket.destroy();
    expect(await first).toMatchObject({ type: "failed", failure: { kind: "closed", phase: "first-byte" } });
    expect(rig.transport.inFlight(upstream.id)).toBe(0);
  });

  it("says that nothing was sent where nobody listens", async () => {
    const upstream = await rig.serve(() => undefined);
    await rig.stopServer();
    expect(await rig.transport.ask(askOf(upstream))).toMatchObject({
      failure: { kind: "connect", phase: "connect" },
    });
  });

  it("ends with the upstream's own limits where those are shorter", async () => {
    const upstream = await rig.serve(() => undefined, {
      timeouts: { ...PATIENT, firstBytePlainMs: 300 },
    });
    expect(await rig.transport.ask(askOf(upstream))).toMatchObject({
      failure: { kind: "timeout", phase: "first-byte" },
    });
  });

  it("gives up an answer beyond its bound, unless the answer is the image itself", async () => {
    const mb = Buffer.alloc(1024 * 1024, "a");
    const upstream = await rig.serve(({ socket }) => {
      socket.write(`${OK}content-length: ${5 * mb.length}\r\n\r\n`);
      for (let count = 0; count < 5; count += 1) socket.write(mb);
    });
    expect(await rig.transport.ask(askOf(upstream))).toMatchObject({
      failure: { kind: "protocol", phase: "body", message: "upstream-1 returned more than 4 MB." },
    });
    const whole = await rig.transport.ask(
      askOf(upstream, { method: "POST", path: "/x", responsesWithMedia: true }),
    );
    expect(whole.type === "answered" && whole.response.body.length).toBe(5 * mb.length);
  });

  it("fails when the gateway stops", async () => {
    const upstream = await rig.serve(() => undefined);
    const outcome = rig.transport.ask(askOf(upstream));
    await until(() => rig.server.requests.length === 1);
    await rig.transport.close();
    expect(await outcome).toMatchObject({ failure: { kind: "aborted" } });
  });
});

describe("an answer that quotes what it was asked with", () => {
  const secret = "their-key-abcdefghijklmnop";

  it.each(["with its credential", "with a signature made of it"])(
    "is told without it, asked %s",
    async (how) => {
      const body = JSON.stringify({ id: "1", url: `https://v.example/${secret}`, [secret]: secret });
      const upstream = await rig.serve(({ socket }) =>
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
      );
      const credential = { id: 1n, name: "main", secret };
      const outcome = await rig.transport.ask({
        ...askOf({ ...upstream, credentials: [credential] }),
        credential: how.includes("signature") ? null : credential,
      });
      const told = outcome.type === "answered" ? Buffer.from(outcome.response.body).toString() : "";
      expect(JSON.parse(told)).toEqual({
        id: "1",
        url: "https://v.example/[redacted]",
        "[redacted]": "[redacted]",
      });
    },
  );
});

describe("its bounds and its path", () => {
  it("let a read take less time than a submit, and an image as long as the upstream may", () => {
    const own = { ...PATIENT, firstBytePlainMs: 600_000, totalMs: 3_600_000 };
    const total = (method: "GET" | "POST", responsesWithMedia = false): number =>
      askTimeouts(own, { method, path: "/", responsesWithMedia }, false).totalMs;
    expect(total("GET")).toBeLessThan(total("POST"));
    expect(total("POST")).toBeLessThan(own.totalMs);
    expect(total("POST", true)).toBe(own.totalMs);
  });

  it("are the same for a base URL with the version and for one without", () => {
    expect(askPath("", "/api/v3/x")).toBe("/api/v3/x");
    expect(askPath("/api/v3", "/api/v3/x")).toBe("/api/v3/x");
    expect(askPath("/mine", "/api/v3/x")).toBe("/mine/api/v3/x");
    expect(askPath("/api", "/apix/y")).toBe("/api/apix/y");
  });
});

function askOf(
  upstream: Upstream,
  request: UpstreamAsk["request"] = { method: "GET", path: "/x" },
): UpstreamAsk {
  return {
    upstream,
    credential: { id: 1n, name: "main", secret: "their-key" },
    requestId: "request-1",
    request,
  };
}
