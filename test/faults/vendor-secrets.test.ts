import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { BOOTSTRAP_PASSWORD, signIn } from "../support/console.ts";
import { runSql } from "../support/embedded.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { cleanLedger } from "../support/money-books.ts";
import { posted } from "../support/posted-receipt.ts";
import { leaksIn, OURS, quotations, quotedTogether } from "../support/quoted-secrets.ts";
import { report } from "../support/report.ts";
import { call, TEXT_PROTOCOLS, type TextProtocol, wireForm } from "../support/text-caller.ts";
import { PAIRS } from "../support/translated-world.ts";
import { type VendorCall, type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { VENDOR_WIRES, wholeStream } from "../support/vendor-wire.ts";
import { waitFor } from "../support/wait.ts";
import { ask } from "../support/world.ts";

/** Where a text of a vendor can stand: plain, in the place of a stream, and in three ways in the middle of one. */
const CONDUCTS = [
  "plain-error",
  "stream-error-first",
  "mid-stream",
  "mid-stream-byte-by-byte",
  "comment",
  "no-json",
  "ours-in-headers",
  "failed-answer",
  "every-event",
  "every-place",
] as const;
type Conduct = (typeof CONDUCTS)[number];

const STREAMED: ReadonlySet<Conduct> = new Set([
  ...(["stream-error-first", "mid-stream", "mid-stream-byte-by-byte", "comment", "no-json"] as const),
  "every-event",
]);

/** Families of pictures and videos by the kind that serves them. */
const MEDIA = [
  ...[
    { kind: "openai", model: "imagegen-2" },
    { kind: "apimart", model: "imagegen-2.5-flare" },
  ],
  ...[
    { kind: "ark", model: "videoa-2.0" },
    { kind: "seedance-relay", model: "videoa-2.0-fast" },
  ],
  ...[
    { kind: "dashscope", model: "videob-3.0-video" },
    { kind: "minimax", model: "videoc-H3-Comfy" },
  ],
  ...[{ kind: "gateway", model: "videob-3.0-video-prime" }],
];

/** A value out of JSON with the credential in every object of it, in what a model wrote, and in every name. */
function quotingEverywhere(value: unknown, key = ""): unknown {
  // What a vendor counts is kept as it came, for the operator.
  if (key.startsWith("usage")) return value;
  if (typeof value === "string")
    return value !== "" && /^(?:id|item_id|content|text|delta)$/.test(key)
      ? `${value} ${OURS.credential}`
      : value;
  if (Array.isArray(value)) return value.map((each) => quotingEverywhere(each));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, each]) => [name, quotingEverywhere(each, name)] as const);
  const debug = { message: `key ${OURS.credential}`, [OURS.credential]: ["x"] };
  return { ...Object.fromEntries(fields), x_debug: debug };
}

/** The events of a stream with the credential everywhere, and one behind each that the protocol does not have. */
function quotingEvents(stream: string): string {
  const unknown = JSON.stringify({ type: "vendor.debug", debug: `auth ${OURS.credential}` });
  return stream
    .split("\n\n")
    .filter((frame) => frame !== "")
    .map((frame) => frame.replace(/\{.*\}$/, (json) => JSON.stringify(quotingEverywhere(JSON.parse(json)))))
    .map((frame, at) => (at === 0 || frame.includes("[DONE]") ? frame : `${frame}\n\ndata: ${unknown}`))
    .map((frame) => `${frame}\n\n`)
    .join("");
}

/** A credential that could be the name of a tier, a tool or a model. */
const WORD = "sk-word-9fQ2xW7aL4tR8vB3nK6mZ1cY5dH0gJ";

/** A response that was served by the credential, in every word that says how. */
function servedByCredential(protocol: TextProtocol, model: string): string {
  const terms = {
    service_tier: WORD,
    serviceTier: WORD,
    speed: WORD,
    inference_geo: WORD,
    trafficType: WORD,
  };
  const work = {
    server_tool_use: { [`${WORD}_requests`]: 3 },
    server_side_tool_usage_details: { [`${WORD}_calls`]: 3 },
    tool_usage: { [WORD]: { num_requests: 3 } },
  };
  const { usage, usageMetadata, ...answer } = JSON.parse(VENDOR_WIRES[protocol].plain(model)) as {
    usage?: object;
    usageMetadata?: object;
  };
  return JSON.stringify({
    ...answer,
    ...terms,
    ...work,
    model: WORD,
    modelVersion: WORD,
    usage: usage && { ...usage, ...terms, ...work },
    usageMetadata: usageMetadata && { ...usageMetadata, ...terms, ...work },
  });
}

/** Long enough for words to reach the caller before what follows them. */
const PASSED_ON_MS = 500;

describe("what is ours in a vendor's words", () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  let second: TestGateway | undefined;
  let words = "";
  let told = 0;
  /** What vectors and ranks are answered with, under a status of success. */
  let instead: object | undefined;

  const refusal = () => ({
    status: 400,
    type: `invalid_request_error ${OURS.credential}`,
    code: "INVALID_ARGUMENT",
    message: words,
  });

  const tell: Readonly<Record<Conduct, (call: VendorCall) => void>> = {
    "plain-error": ({ protocol, response }) => {
      const body = JSON.parse(VENDOR_WIRES[protocol].error(refusal())) as { error: object };
      const details = [{ "@type": "x", metadata: { [OURS.credential]: words, consumer: words } }];
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ ...body, error: { ...body.error, param: words, details } }));
    },
    "stream-error-first": ({ protocol, response }) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(VENDOR_WIRES[protocol].streamError(refusal()));
    },
    "mid-stream": ({ protocol, model, response }) => {
      const { opening, delta, streamError } = VENDOR_WIRES[protocol];
      response.writeHead(200, { "content-type": "text/event-stream" });
      // Behind words that were passed on: else it is told as a plain error.
      response.write(opening(model) + delta("Hello"));
      setTimeout(() => response.end(streamError(refusal())), PASSED_ON_MS);
    },
    "mid-stream-byte-by-byte": ({ protocol, model, response }) => {
      const { opening, delta, streamError } = VENDOR_WIRES[protocol];
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.socket?.setNoDelay(true);
      const bytes = Buffer.from(opening(model) + delta("Hello") + streamError(refusal()));
      let at = 0;
      const next = (): void => {
        response.write(bytes.subarray(at, at + 7));
        at += 7;
        if (at < bytes.length) setImmediate(next);
        else response.end();
      };
      next();
    },
    comment: ({ protocol, model, response }) => {
      const whole = wholeStream(protocol, model);
      const end = whole.indexOf("\n\n", whole.indexOf("lo ")) + 2;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`: opening ${words}\n\n${whole.slice(0, end)}`);
      setTimeout(() => response.end(`: now ${words}\n\nid: ${words}\n${whole.slice(end)}`), 50);
    },
    "no-json": ({ protocol, model, response }) => {
      const { opening, delta } = VENDOR_WIRES[protocol];
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(opening(model) + delta("Hello"));
      setTimeout(() => response.end(`event: error\ndata: ${words}\n\ndata: ${words}\n\n`), 50);
    },
    "ours-in-headers": ({ protocol, model, response }) => {
      response.writeHead(200, {
        "content-type": `application/json; from=${OURS.host}`,
        "set-cookie": `key=${OURS.otherCredential}`,
        "x-request-id": OURS.organization,
        "openai-organization": OURS.organization,
      });
      response.end(VENDOR_WIRES[protocol].plain(model));
    },
    "failed-answer": ({ protocol, response }) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        protocol === "responses"
          ? JSON.stringify({
              id: "r",
              object: "response",
              status: "failed",
              output: [],
              error: { code: "x", message: words },
            })
          : JSON.stringify({
              candidates: [{ index: 0, finishReason: "MALFORMED_FUNCTION_CALL", finishMessage: words }],
            }),
      );
    },
    "every-event": ({ protocol, model, response }) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(quotingEvents(wholeStream(protocol, model)));
    },
    "every-place": ({ protocol, model, response }) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(quotingEverywhere(JSON.parse(VENDOR_WIRES[protocol].plain(model)))));
    },
  };

  beforeAll(async () => {
    vendor = await vendorUpstream((called) => {
      const conduct = called.model.replace(/-at-.*/, "");
      if (conduct === "served") {
        called.response.writeHead(200, { "content-type": "application/json", "x-gemini-service-tier": WORD });
        called.response.end(servedByCredential(called.protocol, called.model));
        return;
      }
      if (conduct in tell) return tell[conduct as Conduct](called);
      if (instead !== undefined) {
        called.response.writeHead(200, { "content-type": "application/json" });
        called.response.end(JSON.stringify(instead));
        return;
      }
      const error = { code: "InvalidParameter", message: words, type: "x" };
      called.response.writeHead(400, { "content-type": "application/json" });
      called.response.end(
        JSON.stringify({
          code: "InvalidParameter",
          message: words,
          error,
          base_resp: { status_code: 1026, status_msg: words },
          output: { message: words },
        }),
      );
    });
    words = quotedTogether(vendor.url);
    const text = TEXT_PROTOCOLS.flatMap((protocol) => CONDUCTS.map((conduct) => `${conduct}-at-${protocol}`));
    const upstreams = [
      ...TEXT_PROTOCOLS.map(
        (protocol) =>
          `{ name: ${protocol}, kind: sandbox, base_url: "${vendor.url}", api_key: "${OURS.credential}", protocols: [${protocol}], models: ${JSON.stringify(text.filter((model) => model.endsWith(`-at-${protocol}`)))} }`,
      ),
      ...TEXT_PROTOCOLS.map(
        (protocol) =>
          `{ name: word-${protocol}, kind: sandbox, base_url: "${vendor.url}", api_key: "${WORD}", protocols: [${protocol}], models: [served-at-${protocol}] }`,
      ),
      ...MEDIA.map(
        ({ kind, model }) =>
          `{ name: media-${kind}, kind: ${kind}, base_url: "${vendor.url}", api_key: "${OURS.credential}", models: [${model}] }`,
      ),
      `{ name: vectors, kind: sandbox, base_url: "${vendor.url}", api_key: "${OURS.credential}", protocols: [embeddings, rerank], models: [vectors] }`,
      `{ name: private, kind: openai, base_url: "http://${OURS.host}:8000/v1/projects/${OURS.cloudProject}", api_key: "${OURS.otherCredential}", models: [other] }`,
      `{ name: azure, kind: openai, disabled: true, base_url: "https://${OURS.azureHost}/openai/v1", api_key: "unused-credential-123", models: [other] }`,
    ];
    const priced = (id: string): string =>
      `{ id: "${id}", context_tokens: 200000, max_output_tokens: 32000, price: { input: 3, output: 15 } }`;
    const media = (id: string): string => {
      const price = id.startsWith("imagegen")
        ? "per_image: { 1k: 0.1, 2k: 0.1, 4k: 0.1 }"
        : "per_second: { 480p: 0.1, 720p: 0.1, 768p: 0.1, 1080p: 0.1 }";
      return `{ id: "${id}", family: ${id.split("-")[0]}, price: { ${price} } }`;
    };
    gateway = await startGateway({
      env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
      catalog: `version: 1
models:
${[...text, ...TEXT_PROTOCOLS.map((protocol) => `served-at-${protocol}`), "other"].map((id) => `  - ${priced(id)}`).join("\n")}
  - { id: vectors, endpoints: [embeddings, vendorz-rerank], context_tokens: 8000, price: { input: 3 } }
${MEDIA.map(({ model }) => `  - ${media(model)}`).join("\n")}
upstreams:
${upstreams.map((each) => `  - ${each}`).join("\n")}
accounts:
  - { name: acme, balance: 1000, keys: [{ name: test, key: ${TEST_KEY} }] }
`,
    });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await second?.end();
    await second?.clean();
    await vendor?.close();
  });

  const hear = async (conduct: Conduct, client: TextProtocol, upstream: TextProtocol) => {
    const streamed = STREAMED.has(conduct);
    const { path, body } = wireForm({
      protocol: client,
      streamed,
      model: `${conduct}-at-${upstream}`,
      prompt: "Hello",
    });
    const response = await fetch(`${gateway.url}${path}`, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "x-api-key": TEST_KEY },
    });
    told += 1;
    const heads = JSON.stringify([...response.headers]);
    return { status: response.status, text: await response.text(), heads };
  };

  describe.each(PAIRS)("is not told to $client by $upstream", ({ client, upstream }) => {
    it.each(CONDUCTS.filter((each) => each !== "failed-answer" || client === upstream))(
      "in %s",
      async (conduct) => {
        if (conduct === "failed-answer" && upstream !== "responses" && upstream !== "generate-content")
          return;
        const { status, text, heads } = await hear(conduct, client, upstream);
        expect([conduct, leaksIn(text, vendor.url), leaksIn(heads, vendor.url)]).toEqual([conduct, [], []]);
        if (conduct === "plain-error" || conduct === "stream-error-first") {
          expect(status).toBe(400);
          expect(text).toContain("[redacted]");
          expect(text).toContain("lacks access");
        }
        if (conduct === "mid-stream" || conduct === "mid-stream-byte-by-byte") {
          expect(text).toContain("Hello");
          expect(text).toContain("[redacted]");
        }
        if (conduct === "comment") expect(text).toContain("there.");
        if (conduct === "every-event" || conduct === "every-place") {
          expect(status).toBe(200);
          expect(text).toContain("there. [redacted]");
        }
      },
    );
  });

  it.each(PAIRS)(
    "is not what a receipt calls a tier, a tool or a model, for $client by $upstream",
    async ({ client, upstream }) => {
      const { path, body } = wireForm({ protocol: client, model: `served-at-${upstream}`, prompt: "Hello" });
      const { receipt } = await posted(gateway.url, path.slice(1), body);
      expect(JSON.stringify(receipt).toLowerCase()).not.toContain(WORD.toLowerCase());
      expect(gateway.output().toLowerCase()).not.toContain(WORD.toLowerCase());
    },
  );

  it.each(["/v1/embeddings", "/v1/rerank"])("is not told by %s", async (path) => {
    const reply = await ask(gateway.url, path, {
      model: "vectors",
      input: "x",
      query: "x",
      documents: ["x"],
    });
    told += 1;
    expect(reply.status).toBe(400);
    const text = JSON.stringify(reply.json);
    expect(leaksIn(text, vendor.url)).toEqual([]);
    expect(text).toContain("[redacted]");
  });

  it.each(["/v1/embeddings", "/v1/rerank"])(
    "is not told, nor charged, by %s that is no answer",
    async (path) => {
      instead = { status: "error", reason: words, [OURS.credential]: [words] };
      onTestFinished(() => {
        instead = undefined;
      });
      const reply = await ask(gateway.url, path, {
        model: "vectors",
        input: "x",
        query: "x",
        documents: ["x"],
      });
      told += 1;
      expect(reply.status).toBe(502);
      expect(leaksIn(JSON.stringify(reply.json), vendor.url)).toEqual([]);
      const receipt = await ask(gateway.url, `/v1/receipts/${reply.headers.get("x-request-id")}`);
      expect(receipt.json.charge_usd).toBe("0");
    },
  );

  it.each(MEDIA)("is not told as the reason why a task of $kind failed", async ({ model }) => {
    const isImage = model.startsWith("imagegen");
    const path = isImage ? "/v1/images/generations" : "/v2/videos/generations";
    const order = {
      model,
      prompt: "a cat",
      duration: 5,
      resolution: isImage ? "1k" : undefined,
      content: [{ type: "text", text: "a cat" }],
      ...(model.startsWith("videoc") ? { image_urls: ["https://media.example/a.png"] } : {}),
    };
    const { json } = await ask(gateway.url, path, order);
    const reading = isImage ? "/v1/images/tasks" : path;
    const record = await waitFor(`the end of ${json.id}`, async () => {
      const read = await ask(gateway.url, `${reading}/${json.id}?wait=10`);
      return /^(FAILED|FAILURE)$/.test(read.json.status) && read.json;
    });
    told += 1;
    expect(record.fail_reason).toContain("[redacted]");
    expect(leaksIn(record.fail_reason, vendor.url)).toEqual([]);
  });

  it("is not told by asset services", async () => {
    const body = { url: "https://media.example/a.png", asset_type: "Image", name: "a" };
    const reply = await ask(gateway.url, "/v1/videoa/asset/create", body);
    told += 1;
    expect(leaksIn(JSON.stringify(reply.json), vendor.url)).toEqual([]);
  });

  it("stays what a model wrote where it did, byte for byte, but for the credential that was sent", async () => {
    const quoting = await vendorUpstream(({ protocol, model, streamed, response }) => {
      const { opening, delta, closing, plain } = VENDOR_WIRES[protocol];
      const said = JSON.stringify(words).slice(1, -1);
      response.writeHead(200, { "content-type": streamed ? "text/event-stream" : "application/json" });
      response.end(
        streamed
          ? opening(model) + delta(words) + delta("there.") + closing(model)
          : plain(model).replace("Hello", said.replaceAll("$", "$$$$")),
      );
    });
    try {
      const catalog = (await gateway.run("export")).stdout;
      expect(catalog).not.toBe("");
      for (const protocol of TEXT_PROTOCOLS) {
        for (const streamed of [false, true]) {
          const bytes = await relayed(quoting, protocol, streamed);
          expect(bytes.got).toBe(bytes.sent);
        }
      }
    } finally {
      await quoting.close();
    }
  });

  /** What a vendor sent, and what the caller got of it, with a catalog of its own that knows the same secrets. */
  async function relayed(quoting: VendorUpstream, protocol: TextProtocol, streamed: boolean) {
    const model = `quotes-${protocol}`;
    const own = await quotingGateway(quoting);
    const { path, body } = wireForm({ protocol, streamed, model, prompt: "Hello" });
    // Whoever asks for usage gets the upstream's stream as it is.
    const asked =
      protocol === "chat-completions" && streamed
        ? { ...body, stream_options: { include_usage: true } }
        : body;
    const init = { method: "POST", body: JSON.stringify(asked), headers: { "x-api-key": TEST_KEY } };
    const got = await (await fetch(`${own.url}${path}`, init)).text();
    const sent = await (await fetch(`${quoting.url}${path}`, init)).text();
    // In the two spellings that JSON has for it.
    const [escaped = ""] = /(?:\\+u00[0-9a-f]{2})+/.exec(sent) ?? [];
    return { got, sent: sent.replaceAll(OURS.credential, "[redacted]").replaceAll(escaped, "[redacted]") };
  }

  async function quotingGateway(quoting: VendorUpstream): Promise<TestGateway> {
    const models = TEXT_PROTOCOLS.map((protocol) => `quotes-${protocol}`);
    second ??= await startGateway({
      catalog: `version: 1
models:
${models.map((id) => `  - { id: ${id}, context_tokens: 200000, max_output_tokens: 32000, price: { input: 3, output: 15 } }`).join("\n")}
  - { id: other, context_tokens: 200000, max_output_tokens: 32000, price: { input: 3, output: 15 } }
upstreams:
${TEXT_PROTOCOLS.map((protocol) => `  - { name: q-${protocol}, kind: sandbox, base_url: "${quoting.url}", api_key: "${OURS.credential}", protocols: [${protocol}], models: [quotes-${protocol}] }`).join("\n")}
  - { name: private, kind: openai, base_url: "http://${OURS.host}:8000/v1", api_key: "${OURS.otherCredential}", models: [other] }
accounts:
  - { name: acme, balance: 1000, keys: [{ name: test, key: ${TEST_KEY} }] }
`,
    });
    return second;
  }

  it("is in no log line, receipt, row or page of the console", async () => {
    const admin = await signIn(gateway);
    const heard = await call(gateway.url, {
      protocol: "messages",
      model: "plain-error-at-messages",
      prompt: "Hello",
    });
    await waitFor("its row", async () =>
      (await runSql(gateway.database?.url ?? "", "select request_id from usage")).some(
        (row) => row["request_id"] === heard.requestId,
      ),
    );
    const [account] = await runSql(
      gateway.database?.url ?? "",
      "select id from accounts where name = 'acme'",
    );
    const id = String(account?.["id"]);
    const listed = (await admin.get("/operator/upstreams")).body as { data: { id: string }[] };
    const pages = [
      ...[`/accounts/${id}/requests`, `/accounts/${id}/tasks`, `/accounts/${id}/requests/${heard.requestId}`],
      ...listed.data.map((upstream) => `/operator/upstreams/${upstream.id}/report`),
    ];
    for (const page of pages) {
      const { status, body } = await admin.get(page);
      expect([page, status]).toEqual([page, 200]);
      expect([page, leaksIn(JSON.stringify(body), vendor.url)]).toEqual([page, []]);
    }
    const rows = [
      ...(await runSql(gateway.database?.url ?? "", "select * from usage")),
      ...(await runSql(gateway.database?.url ?? "", "select id, fail_reason from tasks")),
    ];
    const readable = (_: string, value: unknown): unknown =>
      typeof value === "bigint" ? String(value) : value;
    expect(leaksIn(JSON.stringify(rows, readable), vendor.url)).toEqual([]);
    // The start names the addresses of its own upstreams nowhere either.
    expect(leaksIn(gateway.output(), vendor.url)).toEqual([]);
    report(
      `H8: ${told} answers, records and reasons of ${quotations(vendor.url).length} quotations each; 0 told, logged or kept`,
    );
  });

  it("leaves clean books", async () => {
    await cleanLedger(gateway);
  });
});
