import { startGateway, TEST_KEY, type TestGateway } from "./gateway.ts";
import { startSandbox, type TestSandbox } from "./sandbox.ts";

/** Keys of the world's accounts. */
export const KEYS = {
  /** Account acme, group default, plenty of money. */
  main: TEST_KEY,
  /** Another key of acme. */
  second: "second-key-0123456789abcdef",
  /** A key of acme with an allow-list: `text` alone. */
  narrow: "narrow-key-0123456789abcdef",
  /** A key of acme: one request per minute. */
  slow: "slow-key-0123456789abcdef",
  /** A key of acme: one request at once. */
  single: "single-key-0123456789abcdef",
  /** A key of acme: few tokens per minute, fewer than a response has. */
  thrifty: "thrifty-key-0123456789abcdef",
  /** Another account, in group partners, which pays 0.85 of the price and sees one model more. */
  partner: "partner-key-0123456789abcdef",
  /** An account without money. */
  poor: "poor-key-0123456789abcdef",
  invalid: "no-such-key-0123456789abcdef",
} as const;

/** USD per 1,000,000 tokens of every text model here: no two alike, so that a wrong bucket shows in the charge. */
export const PRICE = {
  input: 3,
  output: 15,
  reasoning: 17,
  cache_read: 0.3,
  cache_write: 3.75,
  cache_write_1h: 6,
} as const;

const price = `{ ${Object.entries(PRICE)
  .map(([bucket, usd]) => `${bucket}: ${usd}`)
  .join(", ")} }`;

/** Text models on all four endpoints. The last ones are for faults: failures of one are nobody else's. */
export const TEXT_MODELS = [
  "text",
  "gpt-5-test",
  "claude-sonnet-4-5",
  "gemini-3-test",
  "vendor/odd:name",
  "faulty-a",
  "faulty-b",
  "faulty-c",
  "faulty-d",
] as const;

const LIMITS = `context_tokens: 200000, max_output_tokens: 32000, price: ${price}`;

function catalog(sandboxUrl: string): string {
  const here = [...TEXT_MODELS, "chat-only", "partners-only", "embed", "rerank"];
  return `version: 1
groups:
  - { name: default, factor: 1 }
  - { name: partners, factor: 0.85 }
models:
${TEXT_MODELS.map((id) => `  - { id: "${id}", owned_by: acme, created: 1754000000, ${LIMITS} }`).join("\n")}
  - { id: chat-only, endpoints: [oa], ${LIMITS} }
  - { id: partners-only, groups: [partners], ${LIMITS} }
  - { id: unserved, ${LIMITS} }
  - { id: unreachable, ${LIMITS} }
  - { id: refused, ${LIMITS} }
  - { id: embed, endpoints: [embeddings], context_tokens: 100000, price: { input: 0.02 } }
  - { id: rerank, endpoints: [vendorz-rerank], context_tokens: 100000, price: { input: 0.05 } }
upstreams:
  - { name: main, kind: sandbox, base_url: "${sandboxUrl}", api_key: good-key, models: ${JSON.stringify(here)} }
  - { name: refusing, kind: sandbox, base_url: "${sandboxUrl}", api_key: bad-key, models: [refused] }
  - { name: nowhere, kind: sandbox, base_url: "http://127.0.0.1:1", api_key: good-key, models: [unreachable] }
accounts:
  - name: acme
    group: default
    balance: 1000
    keys:
      - { name: main, key: ${KEYS.main} }
      - { name: second, key: ${KEYS.second} }
      - { name: narrow, key: ${KEYS.narrow}, models: [text] }
      - { name: slow, key: ${KEYS.slow}, rate_limits: { requests_per_minute: 1 } }
      - { name: single, key: ${KEYS.single}, rate_limits: { concurrency: 1, requests_per_minute: 1000 } }
      - { name: thrifty, key: ${KEYS.thrifty}, rate_limits: { tokens_per_minute: 10 } }
  - name: partner
    group: partners
    balance: 1000
    keys: [{ name: partner, key: ${KEYS.partner} }]
  - name: poor
    group: default
    keys: [{ name: poor, key: ${KEYS.poor} }]
`;
}

/** The gateway's code of an error: native errors have the status as theirs, and the word as the reason. */
// biome-ignore lint/suspicious/noExplicitAny: tests reach deep into wire forms
export function codeIn(body: any): unknown {
  return body?.error?.reason ?? body?.error?.code;
}

/** The reply that a caller received. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach deep into wire forms
  readonly json: any;
}

export interface AskOptions {
  readonly method?: string;
  /** undefined = the main key as Bearer; null = no credential. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A started gateway with a sandbox behind it. */
export interface World {
  readonly url: string;
  readonly gateway: TestGateway;
  readonly sandbox: TestSandbox;
  /** POSTs where there is a body (objects as JSON), else GETs. */
  ask(path: string, body?: object | string | Buffer, options?: AskOptions): Promise<Reply>;
  stop(): Promise<void>;
}

/** Call in beforeAll, one world per file; stop it in afterAll. */
export async function startWorld(): Promise<World> {
  const sandbox = await startSandbox();
  try {
    const gateway = await startGateway({ catalog: catalog(sandbox.url) });
    return {
      url: gateway.url,
      gateway,
      sandbox,
      ask: (path, body, options) => ask(gateway.url, path, body, options),
      async stop() {
        await gateway.end();
        await gateway.clean();
        await sandbox.stop();
      },
    };
  } catch (error) {
    await sandbox.stop();
    throw error;
  }
}

/** One exchange with a gateway. */
export async function ask(
  url: string,
  path: string,
  body?: object | string | Buffer,
  { method, key = KEYS.main, headers = {}, signal }: AskOptions = {},
): Promise<Reply> {
  const sent =
    body === undefined
      ? undefined
      : typeof body === "string"
        ? body
        : Buffer.isBuffer(body)
          ? new Uint8Array(body)
          : JSON.stringify(body);
  const response = await fetch(`${url}${path}`, {
    method: method ?? (sent === undefined ? "GET" : "POST"),
    headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...headers },
    redirect: "manual",
    ...(sent === undefined ? {} : { body: sent }),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
