import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { type SigningUpstream, signingUpstream } from "../support/signing-upstream.ts";
import { LOOP_SCRIPT, RESPONSE, STATE_LOOPS, STEPS } from "../support/state-loops.ts";
import { TEXT_PROTOCOLS, type TextProtocol } from "../support/text-caller.ts";
import { KEYS, PRICE } from "../support/world.ts";

const WAYS = Object.entries(STATE_LOOPS).flatMap(([sdk, { client, keepsIds }]) =>
  // What is forwarded is between such a client and the vendor.
  TEXT_PROTOCOLS.filter((upstream) => keepsIds !== true || upstream !== client).flatMap((upstream) =>
    [false, true].map((streamed) => ({ sdk, client, upstream, streamed })),
  ),
);

/** A model of each protocol that is asked to think in its own way, and the kind of upstream that has it. */
const MODELS: Readonly<Record<TextProtocol, { readonly model: string; readonly kind: string }>> = {
  "chat-completions": { model: "gemini-by-chat", kind: "openai-compatible" },
  responses: { model: "gpt-5", kind: "openai" },
  messages: { model: "claude-sonnet-4-5", kind: "anthropic" },
  "generate-content": { model: "gemini-3-pro-preview", kind: "gemini" },
};

describe("tool loops of five steps, with thoughts, two calls at once and a picture", () => {
  let gateway: TestGateway;
  const upstreams = new Map<TextProtocol, SigningUpstream>();
  beforeAll(async () => {
    for (const protocol of TEXT_PROTOCOLS) upstreams.set(protocol, await signingUpstream(LOOP_SCRIPT));
    gateway = await startGateway({ catalog: catalog(upstreams) });
  });
  afterAll(async () => {
    await gateway.end();
    await gateway.clean();
    for (const upstream of upstreams.values()) await upstream.close();
  });

  it.each(WAYS)(
    "give $upstream the picture and each signature back byte for byte: $sdk, streamed: $streamed",
    async (way) => {
      const { sdk, upstream, streamed } = way;
      const signing = upstreams.get(upstream);
      const before = signing?.kept() ?? 0;
      const question = `loop-${sdk.replaceAll(/\W/g, "")}-${streamed}`;
      const run = STATE_LOOPS[sdk]?.run;
      const text = await run?.({ url: gateway.url, model: MODELS[upstream].model, question, streamed });
      expect(text).toBe(RESPONSE);
      expect(signing?.faults.filter((fault) => fault.startsWith(question))).toEqual([]);
      // The first step's signature comes back with each later one.
      expect((signing?.kept() ?? 0) - before).toBe((STEPS * (STEPS + 1)) / 2);
    },
  );
});

function catalog(upstreams: ReadonlyMap<TextProtocol, SigningUpstream>): string {
  const rows = TEXT_PROTOCOLS.map((protocol) => {
    const { model, kind } = MODELS[protocol];
    const root = upstreams.get(protocol)?.url ?? "";
    return { protocol, model, kind, base: kind.startsWith("openai") ? `${root}/v1` : root };
  });
  return `version: 1
groups:
  - { name: default, factor: 1 }
models:
${rows.map(({ model }) => `  - { id: ${model}, context_tokens: 200000, max_output_tokens: 32000, price: ${JSON.stringify(PRICE)} }`).join("\n")}
upstreams:
${rows.map(({ protocol, model, kind, base }) => `  - { name: ${protocol}, kind: ${kind}, base_url: "${base}", api_key: good-key, protocols: [${protocol}], models: [${model}] }`).join("\n")}
accounts:
  - name: acme
    group: default
    balance: 1000
    keys: [{ name: main, key: ${KEYS.main} }]
`;
}
