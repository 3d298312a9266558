import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { casesOf } from "../support/cases.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { said } from "../support/said.ts";
import { pictured, TOOLS } from "../support/sample-wishes.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { TEXT_PROTOCOLS, type TextProtocol, type Wish, wireForm } from "../support/text-caller.ts";
import { ask, KEYS, PRICE, type Reply } from "../support/world.ts";

/** Our name of a model at Bedrock, and of the same at its own vendor. */
const FAMILIES = [
  { name: "Claude by invoke", model: "claude", direct: "direct-claude" },
  { name: "Claude by invoke, with a Bedrock API key", model: "claude-key", direct: "direct-claude" },
  { name: "Claude by invoke, as a role", model: "claude-role", direct: "direct-claude" },
  { name: "Claude on bedrock-mantle", model: "claude-mantle", direct: "direct-claude" },
  { name: "Nova by converse", model: "nova", direct: "direct-claude", tellsThoughts: false },
  { name: "Llama by converse", model: "llama", direct: "direct-claude", thinks: false },
  { name: "an open model in chat completions", model: "oss", direct: "direct-oss" },
  { name: "an open model on bedrock-mantle", model: "oss-mantle", direct: "direct-both" },
  { name: "a model of OpenAI's in responses", model: "gpt", direct: "direct-gpt" },
] satisfies readonly Family[];

interface Family {
  readonly name: string;
  readonly model: string;
  readonly direct: string;
  /** False: it can't be told to think. */
  readonly thinks?: false;
  /** False: its usage doesn't say how much of the output was thoughts. */
  readonly tellsThoughts?: false;
}

/** What Bedrock fails with, what callers get, and the word for it. Each fails on a model of its own, as failures close an upstream. */
const ERRORS: readonly [error: number, status: number, code: RegExp][] = [
  [400, 400, /invalid_request/],
  [403, 502, /upstream_error/],
  [424, 502, /upstream_error/],
  [429, 429, /rate_limit/],
  [503, 502, /upstream_error/],
];

const FORMS = ["invoke", "converse"] as const;
const FAULTY = [...ERRORS.map(([error]) => String(error)), "stream"].flatMap((fault) =>
  TEXT_PROTOCOLS.flatMap((protocol) => FORMS.map((form) => `faulty-${fault}-${protocol}-${form}`)),
);

const CLAUDE = "us.anthropic.claude-haiku-4-5-20251001-v1:0";
const LLAMA = "us.meta.llama3-3-70b-instruct-v1:0";
const ROLE = "arn:aws:iam::123456789012:role";
const OWN_KEYS = "access_key_id: AKIATEST00000001, secret_access_key: secret-of-AKIATEST00000001";

function catalog(url: string): string {
  const models = [
    ...new Set(FAMILIES.flatMap(({ model, direct }) => [model, direct])),
    "claude-denied",
    "claude-wrong",
    ...FAULTY,
  ];
  const runtime = `kind: bedrock, base_url: "${url}/aws/bedrock", location: us-east-1, token_url: "${url}/aws/sts"`;
  const mantle = `kind: bedrock-mantle, base_url: "${url}/aws/bedrock-mantle", location: us-east-1`;
  const limits = `context_tokens: 200000, max_output_tokens: 32000, price: ${JSON.stringify(PRICE)}`;
  const direct = `base_url: "${url}", api_key: good-key`;
  return `version: 1
groups:
  - { name: default, factor: 1 }
models:
${models.map((id) => `  - { id: ${id}, ${limits} }`).join("\n")}
upstreams:
  - { name: aws, ${runtime}, credentials: [{ ${OWN_KEYS} }], models: { claude: "${CLAUDE}", oss: "openai.gpt-oss-120b-1:0", gpt: openai.gpt-5.5, nova: "us.amazon.nova-2-lite-v1:0", llama: "${LLAMA}" } }
  - { name: aws-key, ${runtime}, api_key: bedrock-api-key-1, models: { claude-key: "${CLAUDE}" } }
  - { name: aws-role, ${runtime}, credentials: [{ ${OWN_KEYS}, role_arn: "${ROLE}/external", external_id: tenant-1 }], models: { claude-role: "${CLAUDE}" } }
  - { name: aws-denied, ${runtime}, credentials: [{ ${OWN_KEYS}, role_arn: "${ROLE}/denied" }], models: { claude-denied: "${CLAUDE}" } }
  - { name: aws-wrong, ${runtime}, credentials: [{ access_key_id: AKIATEST00000001, secret_access_key: another-secret-0001 }], models: { claude-wrong: "${CLAUDE}" } }
  - { name: mantle, ${mantle}, credentials: [{ ${OWN_KEYS} }], models: { claude-mantle: anthropic.claude-haiku-4-5, oss-mantle: openai.gpt-oss-120b } }
  - { name: anthropic, kind: anthropic, ${direct}, models: { direct-claude: claude-haiku-4-5 } }
  - { name: oss, kind: openai-compatible, base_url: "${url}/v1", api_key: good-key, models: { direct-oss: gpt-oss-120b } }
${FAULTY.map((name) => `  - { name: ${name}, ${runtime}, credentials: [{ ${OWN_KEYS} }], models: { ${name}: "${name.endsWith("converse") ? LLAMA : CLAUDE}" } }`).join("\n")}
  - { name: both, kind: openai, base_url: "${url}/v1", api_key: good-key, models: { direct-both: gpt-oss-120b } }
  - { name: openai, kind: openai, base_url: "${url}/v1", api_key: good-key, protocols: [responses], models: { direct-gpt: gpt-5.5 } }
accounts:
  - name: acme
    group: default
    balance: 1000
    keys: [{ name: main, key: ${KEYS.main} }]
`;
}

let sandbox: TestSandbox;
let gateway: TestGateway;
beforeAll(async () => {
  sandbox = await startSandbox();
  gateway = await startGateway({ catalog: catalog(sandbox.url) });
});
afterAll(async () => {
  await gateway.end();
  await gateway.clean();
  await sandbox.stop();
});

const say = (wish: Wish, more: object = {}, headers: Record<string, string> = {}): Promise<Reply> => {
  const { path, body } = wireForm(wish);
  return ask(gateway.url, path, { ...body, ...more }, { headers });
};

interface Outcome extends ReturnType<typeof said> {
  readonly lines: readonly { readonly bucket: string; readonly tokens: number }[];
  readonly charge: unknown;
}

/** Words, calls and charge of a response. */
async function outcomeOf(wish: Wish, more: object): Promise<Outcome> {
  const reply = await say(wish, more);
  expect(reply.status, `${JSON.stringify(wish)} ${reply.text}`).toBe(200);
  const { json } = await ask(gateway.url, `/v1/receipts/${reply.headers.get("x-request-id")}`);
  const heard = said(wish.protocol, reply.text, wish.streamed === true);
  const lines = json.lines.filter(({ tokens }: { tokens: number }) => tokens > 0);
  return { ...heard, lines, charge: json.charge_nanos };
}

const WAYS = TEXT_PROTOCOLS.flatMap((protocol) => [false, true].map((streamed) => ({ protocol, streamed })));

const WISHES: readonly {
  name: string;
  prompt: string;
  more: (protocol: TextProtocol) => object;
  thinking?: true;
}[] = [
  { name: "words", prompt: "Say something of rivers.", more: () => ({}) },
  {
    name: "two calls",
    prompt: "Weather and tide? [[sandbox: tools=2]]",
    more: (protocol) => TOOLS[protocol],
  },
  { name: "a picture", prompt: "", more: (protocol) => pictured(protocol, "What is in it?") },
  { name: "thoughts", prompt: "Why do rivers bend?", more: () => ({}), thinking: true },
];

/** An outcome with all output in one bucket, and so without its charge. */
function withoutThoughts(outcome: Outcome): unknown {
  const { lines, charge: _, ...said } = outcome;
  const tokens = (name: RegExp): number =>
    lines.reduce((sum, line) => (name.test(line.bucket) ? sum + line.tokens : sum), 0);
  return { said, input: tokens(/^input|^cache/), output: tokens(/^output/) };
}

describe.each<Family>(FAMILIES)("$name", ({ model, direct, thinks = true, tellsThoughts = true }) => {
  it.each(WISHES.filter(({ thinking }) => thinks || thinking !== true))(
    "says the same in $name as at its own vendor, at the same charge, in every protocol",
    async (wish) => {
      for (const { protocol, streamed } of WAYS) {
        const asked = {
          protocol,
          streamed,
          prompt: wish.prompt,
          maxTokens: 4_000,
          thinking: wish.thinking === true,
        };
        const more = wish.more(protocol);
        const compared = wish.thinking === true && !tellsThoughts ? withoutThoughts : (same: Outcome) => same;
        expect(compared(await outcomeOf({ ...asked, model }, more)), `${protocol} ${streamed}`).toEqual(
          compared(await outcomeOf({ ...asked, model: direct }, more)),
        );
      }
    },
  );
});

describe.each(FORMS)("an error of Bedrock's by %s", (form) => {
  it.each(ERRORS)(
    "of status %i reaches callers of every protocol in their form",
    async (error, status, code) => {
      for (const { protocol, streamed } of WAYS) {
        const reply = await say({
          protocol,
          streamed,
          model: `faulty-${error}-${protocol}-${form}`,
          prompt: `Hi [[sandbox: error=${error}]]`,
        });
        expect(reply.status, reply.text).toBe(status);
        expect(reply.text).toMatch(code);
      }
    },
  );

  it("within a stream ends it in the caller's form, behind what came before", async () => {
    for (const protocol of TEXT_PROTOCOLS) {
      const prompt = "A tale. [[sandbox: chunks=20 error=503 at=12]]";
      const reply = await say({
        protocol,
        streamed: true,
        model: `faulty-stream-${protocol}-${form}`,
        prompt,
      });
      expect(reply.status).toBe(200);
      expect(reply.text, protocol).toMatch(/error|failed/);
    }
  });
});

describe("a request to Bedrock", () => {
  it("repeats the betas of its headers in its body", async () => {
    const wish = { protocol: "messages", model: "claude", prompt: "Hi" } as const;
    const refused = await say(wish, {}, { "anthropic-beta": "refused-2026-01-01" });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("invalid beta flag")]);
    const cut = await say(wish, {}, { "anthropic-beta": "files-api-2025-04-14,skills-2025-10-02" });
    expect([cut.status, cut.headers.get("x-faregate-dropped")]).toEqual([
      200,
      expect.stringContaining("anthropic-beta:files-api-2025-04-14"),
    ]);
    expect((await say(wish, {}, { "anthropic-beta": "interleaved-thinking-2025-05-14" })).status).toBe(200);
  });

  it("fails as an upstream's where the role can't be assumed or the secret is wrong, and names no secret", async () => {
    for (const model of ["claude-denied", "claude-wrong"]) {
      const reply = await say({ protocol: "messages", model, prompt: "Hi" });
      expect(reply.status).toBe(502);
      expect(reply.text).not.toMatch(/another-secret|secret-of|AKIATEST/);
    }
    expect(gateway.output()).not.toMatch(/another-secret|secret-of-AKIATEST/);
  });

  it("fails none of many over keys that end, which are asked for once per life", async () => {
    const life = async (): Promise<number> =>
      ((await (await fetch(`${sandbox.url}/aws/life`)).json()) as { issued: number }).issued;
    await fetch(`${sandbox.url}/aws/life`, { method: "POST", body: "2" });
    try {
      const before = await life();
      const startedMs = Date.now();
      const total = casesOf(2_000);
      let asked = 0;
      const failures: string[] = [];
      const one = async (): Promise<void> => {
        while (asked < total) {
          asked += 1;
          const reply = await say({
            protocol: "messages",
            model: "claude-role",
            prompt: `Hi ${asked}`,
            streamed: asked % 2 === 0,
          });
          if (reply.status !== 200) failures.push(reply.text);
        }
      };
      await Promise.all(Array.from({ length: 8 }, one));
      expect(failures).toEqual([]);
      // Keys are asked for ahead, in the last fifth of their life.
      const lives = Math.ceil((Date.now() - startedMs) / 1_600) + 1;
      expect((await life()) - before).toBeLessThanOrEqual(lives);
    } finally {
      await fetch(`${sandbox.url}/aws/life`, { method: "POST", body: "3600" });
    }
  });

  it("is tried by doctor, which says in AWS's words what is wrong", async () => {
    const { stdout, stderr } = await gateway.run("doctor");
    const text = stdout + stderr;
    expect(text).toMatch(/upstream aws \(credential 1\): reachable, credential accepted/);
    expect(text).toMatch(/aws-denied.*not authorized to perform: sts:AssumeRole/s);
    expect(text).toMatch(/aws-wrong.*the secret doesn't belong to the access key/s);
  });
});
