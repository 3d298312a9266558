import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { catalogFile } from "../support/catalog-file.ts";
import { CHAT, MESSAGES, NATIVE, RESPONSES } from "../support/endpoints.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { rawAsk } from "../support/raw-ask.ts";
import {
  type GivenResponse,
  type ReceivedRequest,
  type ReplayUpstream,
  startReplayUpstream,
} from "../support/replay-upstream.ts";
import { type AskOptions, ask, type Reply } from "../support/world.ts";

const JSON_TYPE = { "content-type": "application/json" };
const SSE_TYPE = { "content-type": "text/event-stream" };
const USAGE = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };

const chunk = (more: object): string =>
  `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", model: "m", choices: [], ...more })}\n\n`;
const delta = (said: object): object => ({ choices: [{ index: 0, delta: said }] });
const OPENING = chunk(delta({ role: "assistant", content: "" })) + chunk(delta({ content: "Hi" }));
const FINISH = chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
const USAGE_FRAME = chunk({ usage: USAGE });
const DONE = "data: [DONE]\n\n";

const MESSAGE_WORDS = [
  'event: message_start\ndata: {"type":"message_start","message":{"id":"m","usage":{"input_tokens":1}}}\n\n',
  'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n',
  'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}\n\n',
].join("");
const RESPONSE_WORDS = [
  'event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":{"id":"r","object":"response","output":[]}}\n\n',
  'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":1,"item_id":"i","output_index":0,"content_index":0,"delta":"Hi"}\n\n',
].join("");

describe("forwarding", () => {
  let upstream: ReplayUpstream;
  let gateway: TestGateway;
  let received: ReceivedRequest[] = [];
  let response: (request: ReceivedRequest) => GivenResponse;

  beforeAll(async () => {
    upstream = await startReplayUpstream((request) => {
      received.push(request);
      return response(request);
    });
    const kinds = ["openai", "anthropic", "gemini"];
    gateway = await startGateway({
      catalog: catalogFile({
        translation: false,
        upstreams: kinds.map((kind) => ({
          kind,
          name: kind,
          url: kind === "openai" ? `${upstream.url}/v1` : upstream.url,
          model: "theirs",
        })),
      }),
    });
  });
  afterAll(async () => {
    await gateway.end();
    await gateway.clean();
    await upstream.close();
  });

  const send = async (
    path: string,
    body: object | string | Buffer | undefined,
    given: GivenResponse | ((request: ReceivedRequest) => GivenResponse),
    options?: AskOptions,
  ): Promise<{ reply: Reply; request: ReceivedRequest }> => {
    response = typeof given === "function" ? given : () => given;
    received = [];
    const reply = await ask(gateway.url, path, body, options);
    const [request] = received;
    if (request === undefined) throw new Error(`nothing reached the upstream: ${reply.status} ${reply.text}`);
    return { reply, request };
  };
  const plain = (value: object): GivenResponse => ({
    status: 200,
    headers: JSON_TYPE,
    pieces: [Buffer.from(JSON.stringify(value))],
  });
  const stream = (...pieces: string[]): GivenResponse => ({
    status: 200,
    headers: SSE_TYPE,
    pieces: pieces.map((piece) => Buffer.from(piece)),
  });
  const messageResponse = plain({
    id: "m1",
    type: "message",
    role: "assistant",
    content: [{ type: "text", text: "Hi" }],
    stop_reason: "end_turn",
    usage: { input_tokens: 3, output_tokens: 2 },
  });

  it("unites betas, passes the version on, in the vendor's spelling, and beta=true", async () => {
    const headers = {
      "vendorx-version": "2024-10-22",
      "vendorx-beta": "one-2024, two-2024",
      "anthropic-beta": "two-2024,three-2024",
    };
    const { request } = await send(`${MESSAGES.path}?beta=true&x=1`, MESSAGES.body, messageResponse, {
      headers,
    });
    expect(request.path).toBe("/v1/messages?beta=true");
    expect(request.headers["anthropic-version"]).toBe("2024-10-22");
    expect(String(request.headers["anthropic-beta"]).split(",").sort()).toEqual([
      "one-2024",
      "three-2024",
      "two-2024",
    ]);
    expect(Object.keys(request.headers).filter((name) => name.startsWith("vendorx"))).toEqual([]);
    const bare = await send(MESSAGES.path, MESSAGES.body, messageResponse);
    expect(bare.request.path).toBe("/v1/messages");
    expect(bare.request.headers["anthropic-version"]).toBe("2023-06-01");
    expect(bare.request.headers["anthropic-beta"]).toBeUndefined();
  });

  it("passes no header of a caller but those, and no header of an upstream but the content type", async () => {
    const headers = {
      cookie: "session=secret",
      "x-forwarded-for": "203.0.113.7",
      "user-agent": "caller/1.0",
      "openai-organization": "org-caller",
      "accept-encoding": "br",
      "x-stainless-os": "Linux",
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    };
    const given = plain({
      id: "c",
      choices: [{ message: { content: "Hi" }, finish_reason: "stop" }],
      usage: USAGE,
    });
    const { request, reply } = await send(
      CHAT.path,
      CHAT.body,
      {
        ...given,
        headers: {
          ...JSON_TYPE,
          "set-cookie": "vendor=1",
          server: "vendor",
          "openai-organization": "org-ours",
        },
      },
      { headers },
    );
    expect(JSON.stringify(request.headers)).not.toMatch(/secret|203\.0\.113|caller|Linux|0af7651916/);
    expect(request.headers["accept-encoding"]).toBe("identity");
    expect(request.headers["x-request-id"]).toBe(reply.headers.get("x-request-id"));
    for (const name of ["set-cookie", "server", "openai-organization"])
      expect(reply.headers.get(name), name).toBeNull();
  });

  it("keeps stream_options from a request that does not stream", async () => {
    const body =
      '{ "stream_options" : {"include_usage":true} ,"model":"text","messages":[{"role":"user","content":"Hi"}] , "seed": 1e2}';
    const given = plain({
      id: "c",
      choices: [{ message: { content: "Hi" }, finish_reason: "stop" }],
      usage: USAGE,
    });
    const { request } = await send(CHAT.path, body, given);
    const sent = request.body.toString();
    expect(JSON.parse(sent)).toEqual({
      model: "theirs",
      messages: [{ role: "user", content: "Hi" }],
      seed: 100,
    });
    expect(sent).toContain('"content":"Hi"}] , "seed": 1e2}');
    const { request: off } = await send(CHAT.path, body.replace('"seed"', '"stream":false,"seed"'), given);
    expect(JSON.parse(off.body.toString()).stream_options).toBeUndefined();
  });

  it("asks a chat stream's upstream for usage and keeps the frame from a caller who did not", async () => {
    const given = stream(OPENING, FINISH, USAGE_FRAME, DONE);
    const ways: [options: unknown, shown: boolean][] = [
      [undefined, false],
      [null, false],
      [{}, false],
      [{ include_usage: false }, false],
      [{ include_usage: null }, false],
      [{ include_obfuscation: false }, false],
      [{ include_usage: true }, true],
    ];
    for (const [stream_options, shown] of ways) {
      const { request, reply } = await send(CHAT.path, { ...CHAT.body, stream: true, stream_options }, given);
      const what = JSON.stringify(stream_options);
      const sent = JSON.parse(request.body.toString()).stream_options;
      expect(sent, what).toEqual({ ...(stream_options as object), include_usage: true });
      expect(reply.text, what).toBe(OPENING + FINISH + (shown ? USAGE_FRAME : "") + DONE);
    }
  });

  it("takes a usage that rides on a chunk with choices out of it, for a chunk of its own where it was asked for", async () => {
    const last = chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage: USAGE });
    for (const include_usage of [true, false]) {
      const body = { ...CHAT.body, stream: true, stream_options: { include_usage } };
      const { reply } = await send(CHAT.path, body, stream(OPENING, last, DONE));
      expect(reply.text).toBe(OPENING + FINISH + (include_usage ? USAGE_FRAME : "") + DONE);
      const receipt = await ask(gateway.url, `/v1/receipts/${reply.headers.get("x-request-id")}`);
      expect(receipt.json.lines.map((line: { tokens: number }) => line.tokens)).toEqual([3, 2]);
    }
  });

  it("adds the [DONE] that a vendor left out after a finish, and never one after a failure", async () => {
    const body = { ...CHAT.body, stream: true };
    const short = await send(CHAT.path, body, stream(OPENING, FINISH));
    expect(short.reply.text).toBe(OPENING + FINISH + DONE);
    const unended = await send(CHAT.path, body, stream(OPENING, FINISH.trimEnd()));
    expect(unended.reply.text.replaceAll(/\n+/g, "\n")).toBe(
      (OPENING + FINISH + DONE).replaceAll(/\n+/g, "\n"),
    );
    expect(unended.reply.text).toMatch(/\n\ndata: \[DONE\]\n\n$/);
    const broken = await send(CHAT.path, body, stream(OPENING));
    expect(broken.reply.text).not.toContain("[DONE]");
    expect(broken.reply.text.slice(OPENING.length)).toMatch(
      /^data: \{"error":\{.*"code":"upstream_error"\}\}\n\n$/,
    );
  });

  it("closes a frame that broke off before it tells of the failure", async () => {
    for (const [path, body, opening, form] of [
      [CHAT.path, { ...CHAT.body, stream: true }, OPENING, /\n\ndata: \{"error"/],
      [
        MESSAGES.path,
        { ...MESSAGES.body, stream: true },
        MESSAGE_WORDS,
        /\n\nevent: error\ndata: \{"type":"error"/,
      ],
      [
        RESPONSES.path,
        { ...RESPONSES.body, stream: true },
        RESPONSE_WORDS,
        /\n\nevent: response\.failed\ndata: \{"type":"response\.failed","sequence_number":\d,"response":\{"id":"r"/,
      ],
      [
        "/v1beta/models/text:streamGenerateContent?alt=sse",
        NATIVE.body,
        'data: {"candidates":[{"content":{"parts":[{"text":"Hi"}]}}]}\n\n',
        /\n\ndata: \{"error":\{.*"status":"UNAVAILABLE"/,
      ],
    ] as const) {
      for (const rest of ["", opening.slice(0, 20), opening.slice(0, -1)]) {
        const { reply } = await send(path, body, stream(opening, rest));
        expect(reply.text.startsWith(opening), path).toBe(true);
        expect(reply.text.slice(opening.length - 2), `${path} ${rest}`).toMatch(form);
        expect(reply.text.endsWith("\n\n"), path).toBe(true);
      }
    }
  });

  it("tells a stream that failed before its first event, or along with it, as a plain error", async () => {
    const begun = chunk({ choices: [{ index: 0, delta: { role: "assistant", content: "" } }] });
    const failures: [GivenResponse, number, string][] = [
      [
        stream(`${begun}data: {"error":{"message":"Overloaded","type":"server_error"}}\n\n`),
        502,
        "upstream_error",
      ],
      [
        stream(`${begun}data: {"error":{"message":"Too long","code":"context_length_exceeded"}}\n\n`),
        400,
        "context_length_exceeded",
      ],
      [stream(), 502, "upstream_error"],
      [stream(": a comment\n\n"), 502, "upstream_error"],
      [stream('data: {"error":{"message":"Overloaded","type":"server_error"}}\n\n'), 502, "upstream_error"],
      [
        stream(
          'data: {"error":{"message":"Too long","type":"invalid_request_error","code":"context_length_exceeded"}}\n\n',
        ),
        400,
        "context_length_exceeded",
      ],
      [
        { status: 200, headers: { "content-type": "text/html" }, pieces: [Buffer.from("<html>")] },
        502,
        "upstream_error",
      ],
    ];
    for (const [given, status, code] of failures) {
      const { reply } = await send(CHAT.path, { ...CHAT.body, stream: true }, given);
      expect([reply.status, reply.json?.error?.code], reply.text).toEqual([status, code]);
    }
  });

  it("settles and records answers whose words the database cannot hold", async () => {
    const odd = "a\u0000b\ud800c";
    const given = plain({
      id: odd,
      choices: [{ message: { content: odd }, finish_reason: odd }],
      usage: { ...USAGE, note: odd, [odd]: 1 },
    });
    const { reply } = await send(CHAT.path, CHAT.body, given);
    const failure = plain({ error: { message: odd, type: odd, code: odd, param: odd } });
    const { reply: refused } = await send(CHAT.path, CHAT.body, { ...failure, status: 400 });
    expect(refused.status).toBe(400);
    for (const [answered, nanos] of [
      [reply, 3 * 3_000 + 2 * 15_000],
      [refused, 0],
    ] as const) {
      const path = `/v1/receipts/${answered.headers.get("x-request-id")}`;
      let receipt = (await ask(gateway.url, path)).json;
      while (receipt.state === "pending") receipt = (await ask(gateway.url, path)).json;
      expect([receipt.state, receipt.charge_nanos]).toEqual(["posted", String(nanos)]);
    }
  });

  it("carries bodies up to 32 MB and refuses larger ones, whether or not they say their length", async () => {
    const given = plain({
      id: "c",
      choices: [{ message: { content: "Hi" }, finish_reason: "stop" }],
      usage: USAGE,
    });
    const bodyOf = (bytes: number): Buffer => {
      const [head, tail] = ['{"model": "text", "messages": [{"role": "user", "content": "', '"}]}'];
      return Buffer.concat([
        Buffer.from(head),
        Buffer.alloc(bytes - head.length - tail.length, "river "),
        Buffer.from(tail),
      ]);
    };
    const largest = bodyOf(32 * 1024 * 1024);
    const { request, reply } = await send(CHAT.path, largest, given);
    expect(reply.status).toBe(200);
    const due = Buffer.from(largest.toString("latin1").replace('"text"', '"theirs"'), "latin1");
    expect(request.body.equals(due)).toBe(true);

    received = [];
    const tooLarge = bodyOf(32 * 1024 * 1024 + 1);
    const said = await rawAsk(
      gateway.url,
      "POST",
      CHAT.path,
      [["authorization", `Bearer ${TEST_KEY}`]],
      tooLarge,
    );
    expect([said.status, said.json.error.code]).toEqual([413, "request_too_large"]);
    const unsaid = await fetch(gateway.url + CHAT.path, {
      method: "POST",
      headers: { authorization: `Bearer ${TEST_KEY}` },
      body: new Blob([new Uint8Array(tooLarge)]).stream(),
      duplex: "half",
    } as RequestInit);
    expect([unsaid.status, ((await unsaid.json()) as { error: { code: string } }).error.code]).toEqual([
      413,
      "request_too_large",
    ]);
    expect(received).toEqual([]);
  });

  it("sends the caller's key to nobody", async () => {
    const { request } = await send(`${NATIVE.path}?key=${TEST_KEY}`, NATIVE.body, plain({ candidates: [] }), {
      key: null,
    });
    expect(request.path).toBe("/v1beta/models/theirs:generateContent");
    expect(JSON.stringify(request.headers)).not.toContain(TEST_KEY);
    expect(request.headers["x-goog-api-key"]).toBe("good-key");
  });
});
