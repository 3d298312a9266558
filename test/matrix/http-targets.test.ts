import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rawExchange } from "../support/raw-exchange.ts";
import { codeIn, KEYS, startWorld, type World } from "../support/world.ts";

/**
 * What the router makes of methods and targets, odd ones above all: a table of what callers see, so that nobody has to
 * know which library finds the route.
 */

const LONG = "x".repeat(9_000);
const HUGE = "x".repeat(11_000);

/** [method, target] or [method, target, further header lines]. LONG is nine thousand letters, HUGE more than a parameter may have. */
const REQUESTS: readonly (readonly [method: string, target: string, headers?: readonly string[]])[] = [
  ...["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "QUERY"].flatMap(
    (method) =>
      ["/healthz", "/v1/models", "/v1/nonsense", "/docs", "*"].map((path) => [method, path] as const),
  ),
  // Spellings of one path.
  ...["/v1/models/", "//v1/models", "/v1//models", "/v1/models//", "/%76%31/models", "/V1/models"].map(
    (path) => ["GET", path] as const,
  ),
  ...[
    "/v1/models?",
    "/v1/models?limit=1&limit=2",
    "/v1/models?%",
    "/v1/models?a=%zz&limit=1",
    "/v1/models#x",
  ].map((path) => ["GET", path] as const),
  ["GET", "http://127.0.0.1/healthz"],
  ["GET", "http://elsewhere.example//healthz/?x=1"],
  ["GET", "HTTP://elsewhere.example"],
  ["GET", "https://elsewhere.example?x"],
  ["GET", "//elsewhere.example/healthz"],
  ["GET", "healthz"],
  ["GET", "ftp://elsewhere.example/healthz"],
  ["GET", ""],
  ["GET", "/"],
  ["GET", "//"],
  ["GET", "/?x=1"],
  ["GET", "/healthz;a=b"],
  ["GET", "/healthz/../healthz"],
  ["GET", "/./healthz"],
  // Codes and names in parameters.
  ...[
    "text",
    "a%2Fb",
    "a/b",
    "a%252Fb",
    "%",
    "%zz",
    "%ff%fe",
    "%00",
    "%C3%A9",
    "a%3Fb",
    "a%23b",
    "a+b",
    "a%20b",
  ].flatMap((id) => [
    ["GET", `/v1/models/${id}`] as const,
    ["GET", `/v1/receipts/${id}`] as const,
    ["GET", `/v1beta/models/${id}`] as const,
  ]),
  ["GET", "/v1/models/%"],
  ["OPTIONS", "/v1/models/%"],
  ["OPTIONS", "/v1/models/%ff"],
  ["PUT", "/v1/models/%"],
  ["GET", "/v1/receipts/"],
  ["GET", "/v1/receipts/a/b"],
  ["GET", `/v1/models/LONG`],
  ["GET", `/v1/receipts/LONG`],
  ["GET", `/v1/receipts/LONGLONG`.replace("LONGLONG", "LONG?q=LONG")],
  ["GET", `/LONG`],
  ["OPTIONS", `/v1/receipts/LONG`],
  ...["/v1/receipts/HUGE", "/v1/models/HUGE", "/HUGE"].flatMap((path) =>
    ["GET", "HEAD", "PUT", "OPTIONS", "PROPFIND"].map((method) => [method, path] as const),
  ),
  ["PROPFIND", "/%zz"],
  ["OPTIONS", "/nothing/%zz"],
  ["POST", "/v1beta/models/text:generateContent/"],
  ["POST", "/v1beta/models/text%3AgenerateContent?alt=sse"],
  ["POST", "/v1beta/models/text:nothing"],
  ["POST", "/v1/chat/completions"],
  ["POST", "/v1/chat/completions?x=1"],
  ["POST", "/v1//chat/completions/"],
  ["POST", "/v1/messages"],
  ["GET", "/v1/messages"],
  ["GET", "/v1/responses", ["upgrade: websocket", "connection: upgrade"]],
  ["DELETE", "/v1/responses/resp_1"],
  ["POST", "/v1/responses/resp_1"],
  ["HEAD", "/v1/responses/resp_1"],
  ["OPTIONS", "/v1/messages", ["origin: https://page.example", "access-control-request-headers: a, b"]],
  ["OPTIONS", "/api/session", ["origin: https://page.example"]],
  ["OPTIONS", "//api/session", ["origin: https://page.example"]],
  ["GET", "/api/session", ["origin: https://page.example"]],
  ["GET", "/%61pi/session", ["origin: https://page.example"]],
  ["GET", "/api/nothing"],
  ["DELETE", "/api/session"],
  ["POST", "/api/session", ["content-length: 0"]],
  ["PATCH", "/api/session"],
  ["GET", "/api/accounts/%zz/keys"],
  // Pages and their files.
  ["GET", "/sign-in"],
  ["GET", "/sign-in/a/b", ["accept: text/html"]],
  ["POST", "/sign-in"],
  ["GET", "/assets/../index.html"],
  ["GET", "/assets/..%2findex.html"],
  ["GET", "/assets/nothing.js"],
  ["GET", "/docs/"],
  ["GET", "/docs?x=1"],
  ["GET", "/docs/nothing"],
  ["GET", "/docs/json"],
  ["HEAD", "/docs/json"],
  ["GET", "/docs/yaml"],
  ["POST", "/docs/json"],
  ["GET", "/docs/static"],
  ["GET", "/docs/static/"],
  ["GET", "/docs/static/index.html"],
  ["GET", "/docs/static/swagger-ui.css"],
  ["HEAD", "/docs/static/swagger-ui.css"],
  ["POST", "/docs/static/swagger-ui.css"],
  ["GET", "/docs/static/swagger-initializer.js"],
  ["GET", "/docs/static/favicon-32x32.png"],
  ["GET", "/docs/static/nothing.css"],
  ["GET", "/docs/static/../json"],
  ["GET", "/docs/static/..%2f..%2fpackage.json"],
  ["GET", "/docs/static/%zz"],
  ["GET", "/docs/static/%00"],
  ["GET", "/media/2026-01-01/nothing.png"],
  ["GET", "/media/2026-01-01/"],
];

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function exchange(
  world: World,
  [method, target, headers = []]: (typeof REQUESTS)[number],
): Promise<Reply> {
  const lines = [
    `${method} ${target.replaceAll("LONG", LONG).replaceAll("HUGE", HUGE)} HTTP/1.1`,
    ...["host: gateway", "connection: close", `authorization: Bearer ${KEYS.main}`].filter(
      (line) => !headers.some((own) => own.split(":")[0] === line.split(":")[0]),
    ),
    ...headers,
  ];
  const heard = await rawExchange(world.url, `${lines.join("\r\n")}\r\n\r\n`);
  const [head = "", ...body] = heard.split("\r\n\r\n");
  const [first = "", ...fields] = head.split("\r\n");
  return {
    status: Number(first.split(" ")[1] ?? 0),
    headers: Object.fromEntries(
      fields.map((field) => {
        const colon = field.indexOf(":");
        return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
      }),
    ),
    body: body.join("\r\n\r\n"),
  };
}

/** One line for what a caller sees. */
function summary([method, target]: (typeof REQUESTS)[number], { status, headers, body }: Reply): string {
  const told = ["allow", "location", "upgrade", "access-control-allow-headers", "retry-after"].flatMap(
    (name) => (headers[name] === undefined ? [] : [`${name}=${headers[name]}`]),
  );
  const type = (headers["content-type"] ?? "-").replace("application/", "").replace("; charset=utf-8", "");
  const error = errorIn(body);
  const named = /^req_\w{16,}$/.test(headers["x-request-id"] ?? "") ? "" : "without an id";
  return [method, target, "->", status, type, error, ...told, named].filter((part) => part !== "").join(" ");
}

function errorIn(body: string): string {
  const json = jsonIn(body);
  if (json?.error === undefined) return body === "" ? "no body" : "";
  // What the parser met is in words of Node's, which its versions change.
  const message = String(json.error.message ?? json.message ?? "").replace(/(HTTP\/1\.1): [^.]+/, "$1: *");
  return `${codeIn(json) ?? json.error.type} "${message
    .replace(/ ?\(request id.*?\)|x{100,}/g, "")
    .replaceAll("\0", "%00")
    .slice(0, 90)}"`;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of any shape
function jsonIn(body: string): any {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** All headers of a response but those that every moment changes. */
function headersOf({ status, headers }: Reply): Record<string, string | number> {
  const { date: _, ...kept } = headers;
  const masked = Object.entries(kept).map(([name, value]) => [
    name,
    /^(x-request-id|request-id|etag|last-modified|content-length)$/.test(name)
      ? "*"
      : value.replace(/^(bytes \d+-\d+)\/\d+$/, "$1/*"),
  ]);
  return { status, ...Object.fromEntries(masked.toSorted()) };
}

describe("methods and targets", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.stop());

  it("are answered as this table says", { timeout: 120_000 }, async () => {
    const lines: string[] = [];
    for (const request of REQUESTS) lines.push(summary(request, await exchange(world, request)));
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("../support/http-targets.txt");
  });

  it("get these headers, and no others", async () => {
    const origin = ["origin: https://page.example"];
    const asked: typeof REQUESTS = [
      ["GET", "/healthz", origin],
      ["OPTIONS", "/v1/messages", [...origin, "access-control-request-headers: a, b"]],
      ["OPTIONS", "/api/session", origin],
      ["GET", "/v1/nonsense", origin],
      ["PUT", "/v1/messages", origin],
      ["GET", "/api/session", origin],
      ["GET", "/v1/models/%", origin],
      ["GET", "/", ["accept: text/html"]],
      ["GET", "/docs", origin],
      ["GET", "/docs/json", origin],
      ["GET", "/docs/yaml"],
      ["GET", "/docs/static/index.html"],
      ["GET", "/docs/static/swagger-initializer.js"],
      ["GET", "/docs/static/swagger-ui.css"],
      ["GET", "/docs/static/swagger-ui.css", ["range: bytes=0-9"]],
    ];
    const heads: string[] = [];
    for (const request of asked) {
      const { status, ...headers } = headersOf(await exchange(world, request));
      const lines = Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`);
      heads.push(`${request[0]} ${request[1]} -> ${status}`, ...lines);
    }
    await expect(`${heads.join("\n")}\n`).toMatchFileSnapshot("../support/http-heads.txt");
  });
});
