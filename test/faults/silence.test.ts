import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { cleanLedger, postedRow } from "../support/money-books.ts";
import { impatientSdk } from "../support/sdk-caller.ts";
import { call, TEXT_PROTOCOLS, type TextProtocol, wireForm } from "../support/text-caller.ts";
import { expectErrorForm, expectStreamErrorForm } from "../support/text-errors.ts";
import { PAIRS } from "../support/translated-world.ts";
import {
  serveWell,
  type VendorCall,
  type VendorUpstream,
  vendorUpstream,
} from "../support/vendor-upstream.ts";
import { VENDOR_WIRES, wholeStream } from "../support/vendor-wire.ts";

/** Sweeps come every 200 ms, so that these are told apart by far. */
const FIRST_MS = 1_200;
const BETWEEN_MS = 500;

/** Longer than a first sign of life takes, and several. */
const LONG_MS = 3_000;
const OVERLOADED = { status: 529, type: "overloaded_error", code: "overloaded_error", message: "Busy." };

/** What stands in each protocol for "still there". */
const SIGNS: Readonly<Record<TextProtocol, string>> = {
  "chat-completions": ": keep-alive\n\n",
  responses: ": keep-alive\n\n",
  messages: 'event: ping\ndata: {"type": "ping"}\n\n',
  "generate-content": "\n\n",
};

const refuse = ({ protocol, response }: VendorCall): void => {
  response.writeHead(529, { "content-type": "application/json" });
  response.end(VENDOR_WIRES[protocol].error(OVERLOADED));
};

/** Of models whose upstream stays silent until the caller has a response's head, however slow the machine is. */
const heads = new Map<string, Promise<void>>();
const silence = (model: string): Promise<void> => heads.get(model) ?? sleep(LONG_MS);

/** By the beginning of the model's name. */
const CONDUCT: Readonly<Record<string, (call: VendorCall) => void>> = {
  // Says nothing at all for long, and then everything.
  silent: (call) => void silence(call.model).then(() => serveWell(call)),
  // Says that it works, and nothing else.
  comments: ({ protocol, model, response }) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const drip = setInterval(() => response.write(": PROCESSING\n\n"), 100);
    void silence(model).then(() => {
      clearInterval(drip);
      response.end(wholeStream(protocol, model));
    });
  },
  // Falls silent amid its response.
  pause: ({ protocol, model, response }) => {
    const { opening, delta, closing } = VENDOR_WIRES[protocol];
    response.writeHead(200, { "content-type": "text/event-stream" }).write(opening(model) + delta("Hello"));
    void silence(model).then(() => response.end(delta(" there.") + closing(model)));
  },
  // Says amid its response that it works.
  mutters: ({ protocol, model, response }) => {
    const { opening, delta, closing } = VENDOR_WIRES[protocol];
    response.writeHead(200, { "content-type": "text/event-stream" }).write(opening(model) + delta("Hello"));
    const drip = setInterval(() => response.write(": PROCESSING\n\n"), 100);
    void silence(model).then(() => {
      clearInterval(drip);
      response.end(delta(" there.") + closing(model));
    });
  },
  // In the middle of an event.
  torn: ({ protocol, model, response }) => {
    const { opening, delta, closing } = VENDOR_WIRES[protocol];
    const second = delta(" there.");
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(opening(model) + delta("Hello") + second.slice(0, 20));
    setTimeout(() => response.end(second.slice(20) + closing(model)), LONG_MS);
  },
  refused: refuse,
  "refused-late": (call) => void setTimeout(() => refuse(call), LONG_MS),
};

describe("H9, the caller of a stream whose upstream is silent", () => {
  let vendor: VendorUpstream;
  let healthy: VendorUpstream;
  let gateway: TestGateway;
  const at = (conduct: string, upstream: TextProtocol): string => `${conduct}-at-${upstream}`;
  const watched = (conduct: string, upstream: TextProtocol, client: TextProtocol): string =>
    `${at(conduct, upstream)}-for-${client}`;
  const backed = (conduct: string, upstream: TextProtocol): string => `backed-${at(conduct, upstream)}`;
  beforeAll(async () => {
    vendor = await vendorUpstream((heard) =>
      CONDUCT[heard.model.replace(/^backed-/, "").replace(/-at-.*/, "")]?.(heard),
    );
    healthy = await vendorUpstream();
    const alone = TEXT_PROTOCOLS.map((protocol) => ({
      name: protocol,
      url: vendor.url,
      protocols: [protocol],
      models: Object.keys(CONDUCT).flatMap((conduct) => [
        at(conduct, protocol),
        ...TEXT_PROTOCOLS.map((client) => watched(conduct, protocol, client)),
      ]),
    }));
    const late = TEXT_PROTOCOLS.map((protocol) => ({
      name: `late-${protocol}`,
      url: vendor.url,
      protocols: [protocol],
      models: [backed("refused-late", protocol)],
    }));
    const rescue = TEXT_PROTOCOLS.map((protocol) => ({
      name: `rescue-${protocol}`,
      url: healthy.url,
      protocols: [protocol],
      models: [backed("refused-late", protocol)],
      priority: 1,
    }));
    const upstreams = [...alone, ...late, ...rescue];
    gateway = await startGateway({
      catalog: modelsFile({
        models: [...new Set(upstreams.flatMap(({ models }) => models))],
        upstreams,
        settings: `{ keepalive: { first_ms: ${FIRST_MS}, between_ms: ${BETWEEN_MS} } }`,
      }),
    });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await vendor?.close();
    await healthy?.close();
  });

  let asked = 0;
  /** Each a conversation of its own, as one that was answered elsewhere stays there. */
  const ask = (client: TextProtocol, model: string) => {
    asked += 1;
    return call(gateway.url, { protocol: client, streamed: true, model, prompt: `Hello ${asked}` });
  };
  const rowOf = (requestId: string | undefined) => postedRow(gateway, requestId);

  it.concurrent.each(PAIRS)(
    "hears signs of life before the first event: $client at $upstream",
    async (pair) => {
      for (const conduct of ["silent", "comments"]) {
        const heard = await ask(pair.client, at(conduct, pair.upstream));
        expect(heard).toMatchObject({ status: 200, complete: true });
        const sign = SIGNS[pair.client];
        expect(heard.text.startsWith(sign + sign), heard.text.slice(0, 200)).toBe(true);
        expect(heard.text).toContain("there.");
        if (pair.client === "generate-content") expect(heard.text).not.toMatch(/^:/m);
        expect(await rowOf(heard.requestId)).toMatchObject({ reason: "completed", estimated: false });
      }
    },
  );

  it.concurrent.each(PAIRS)("hears them between whole events: $client at $upstream", async (pair) => {
    for (const conduct of ["pause", "torn"]) {
      const heard = await ask(pair.client, at(conduct, pair.upstream));
      expect(heard).toMatchObject({ status: 200, complete: true });
      const between = heard.text.slice(heard.text.indexOf("Hello"), heard.text.indexOf(" there."));
      expect(between).toContain(`\n\n${SIGNS[pair.client]}${SIGNS[pair.client]}`);
      for (const [, data = ""] of heard.text.matchAll(/^data: (.*)$/gm))
        if (data !== "[DONE]") expect(() => JSON.parse(data), data).not.toThrow();
    }
  });

  it.concurrent.each(PAIRS)(
    "hears something while the upstream only says that it works: $client at $upstream",
    async (pair) => {
      const heard = await ask(pair.client, at("mutters", pair.upstream));
      expect(heard).toMatchObject({ status: 200, complete: true });
      const between = heard.text.slice(heard.text.indexOf("Hello"), heard.text.indexOf(" there."));
      const sign = SIGNS[pair.client];
      if (pair.client !== pair.upstream) expect(between).toContain(`\n\n${sign}${sign}`);
      else if (sign.startsWith(":")) expect(between).toContain("\n\n: PROCESSING\n\n: PROCESSING\n\n");
      // A comment is no event, for which clients may wait.
      else if (pair.client === "messages") expect(between.split(sign).length).toBeGreaterThan(3);
      else expect(between).toMatch(/^Hello[^\n]*\n\n(\n\n){3,}data: [^\n]*$/);
      if (pair.client === "generate-content") expect(heard.text).not.toMatch(/^:/m);
      expect(await rowOf(heard.requestId)).toMatchObject({ reason: "completed", estimated: false });
    },
  );

  it.concurrent("reads an early refusal by its status, and a late one as an error event at no charge", async () => {
    for (const protocol of TEXT_PROTOCOLS) {
      const code = protocol === "messages" ? "upstream_overloaded" : "upstream_error";
      const status = protocol === "messages" ? 529 : 502;
      const early = await ask(protocol, at("refused", protocol));
      expect(early.status).toBe(status);
      expectErrorForm(protocol, early.text, { status, code });
      const late = await ask(protocol, at("refused-late", protocol));
      expect(late).toMatchObject({ status: 200, complete: false });
      expect(late.text.startsWith(SIGNS[protocol])).toBe(true);
      if (protocol === "responses") expect(late.text).toMatch(/^event: error$/m);
      else expectStreamErrorForm(protocol, late.text, { status, code });
      expect(await rowOf(late.requestId)).toMatchObject({ reason: "upstream_failed", chargeNanos: 0n });
    }
  });

  it.concurrent.each(PAIRS)(
    "is answered by another upstream after signs of life: $client at $upstream",
    async (pair) => {
      const heard = await ask(pair.client, backed("refused-late", pair.upstream));
      expect(heard).toMatchObject({ status: 200, complete: true });
      expect(heard.text.startsWith(SIGNS[pair.client])).toBe(true);
      expect(await rowOf(heard.requestId)).toMatchObject({ reason: "completed", estimated: false });
    },
  );

  it.concurrent("reads blanks between the items of an array", async () => {
    for (const [conduct, reads] of [
      ["silent", /^ +\[/],
      ["pause", /} +,?\s*\{/],
    ] as const) {
      const model = at(conduct, "messages");
      const response = await fetch(`${gateway.url}/v1beta/models/${model}:streamGenerateContent`, {
        method: "POST",
        headers: { "x-goog-api-key": TEST_KEY },
        body: JSON.stringify(wireForm({ protocol: "generate-content", model, prompt: "Hello" }).body),
      });
      const text = await response.text();
      expect(text).toMatch(reads);
      expect(JSON.stringify(JSON.parse(text))).toContain("there.");
    }
  });

  it.concurrent("hears nothing before a plain answer, which has no place for it", async () => {
    const heard = await raw("chat-completions", at("silent", "chat-completions"), false);
    expect(heard).toMatch(/^HTTP\/1.1 200 /);
    expect(heard).not.toContain("keep-alive\n\n");
  });

  it.concurrent.each(PAIRS)(
    "is kept by an SDK whose upstream says nothing before the SDK has heard something: $client at $upstream",
    async (pair) => {
      for (const conduct of ["silent", "comments", "pause", "mutters"]) {
        const model = watched(conduct, pair.upstream, pair.client);
        let onHead: () => void = () => undefined;
        // This SDK can't be watched, and its limit would count to the end of the response.
        if (pair.client !== "generate-content")
          heads.set(model, new Promise((resolve) => (onHead = resolve)));
        const asked = { protocol: pair.client, model, timeoutMs: 120_000, onHead };
        expect(await impatientSdk(gateway.url, asked)).toBe("Hello there.");
      }
    },
  );

  it("leaves clean books", async () => {
    await cleanLedger(gateway);
  });

  /** What comes over a socket of its own, the head included. */
  function raw(protocol: TextProtocol, model: string, streamed: boolean): Promise<string> {
    const { path, body } = wireForm({ protocol, streamed, model, prompt: "Hello" });
    const text = JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
      let heard = "";
      socket.on("data", (chunk) => (heard += chunk.toString("latin1")));
      socket.on("error", reject).on("close", () => resolve(heard));
      const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${TEST_KEY}\r\nconnection: close\r\n`;
      socket.write(`${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
    });
  }
});
