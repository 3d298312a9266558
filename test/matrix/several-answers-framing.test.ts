import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { wireForm } from "../support/text-caller.ts";
import { readEvents } from "../support/text-errors.ts";
import { type VendorCall, type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { VENDOR_WIRES } from "../support/vendor-wire.ts";
import { waitFor } from "../support/wait.ts";
import { ask, KEYS, type Reply } from "../support/world.ts";

const UPSTREAMS = ["responses", "messages", "generate-content"] as const;
/** How each of three copies is answered: as it was asked for, as the other framing, or as a JSON array of events. */
const WAYS = ["odd", "mixed", "array"] as const;
type Way = (typeof WAYS)[number];

/** What JSON escapes, and characters of more than one byte. */
const textOf = (number: number): string => `Answer ${number}: "élan" \\ 🌊\n\tend.`;

interface Case {
  readonly client: "chat-completions" | "generate-content";
  readonly upstream: (typeof UPSTREAMS)[number];
  readonly streamed: boolean;
  readonly way: Way;
}

const CASES: readonly Case[] = (["chat-completions", "generate-content"] as const).flatMap((client) =>
  UPSTREAMS.filter((upstream) => upstream !== client).flatMap((upstream) =>
    [false, true].flatMap((streamed) =>
      WAYS.filter((way) =>
        way === "mixed" ? !streamed : way === "odd" || upstream === "generate-content",
      ).map((way) => ({ client, upstream, streamed, way })),
    ),
  ),
);

describe("several answers that come framed otherwise than was asked for", () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  const counts = new Map<string, number>();
  beforeAll(async () => {
    vendor = await vendorUpstream(serve);
    const models = UPSTREAMS.flatMap((upstream) => WAYS.map((way) => `${upstream}-${way}`));
    const at = (upstream: string): string => models.filter((id) => id.startsWith(upstream)).join(", ");
    gateway = await startGateway({
      catalog: `version: 1
groups: [{ name: default, factor: 1 }]
models:
${models.map((id) => `  - { id: ${id}, context_tokens: 200000, max_output_tokens: 32000, price: { input: 3, output: 15 } }`).join("\n")}
upstreams:
  - { name: r, kind: openai, base_url: "${vendor.url}/v1", api_key: k, protocols: [responses], models: [${at("responses")}] }
  - { name: m, kind: anthropic, base_url: "${vendor.url}", api_key: k, models: [${at("messages")}] }
  - { name: g, kind: gemini, base_url: "${vendor.url}", api_key: k, models: [${at("generate-content")}] }
accounts:
  - { name: acme, group: default, balance: 10, keys: [{ name: main, key: ${KEYS.main} }] }
`,
    });
  });
  afterAll(async () => {
    await gateway.end();
    await gateway.clean();
    await vendor.close();
  });

  /** The first copy as it was asked for where they are mixed. */
  function serve({ protocol, streamed, model, response }: VendorCall): void {
    const number = counts.get(model) ?? 0;
    counts.set(model, number + 1);
    const isAsAsked = model.endsWith("mixed") && number % 3 === 0;
    const isStream = isAsAsked ? streamed : !streamed;
    const wire = VENDOR_WIRES[protocol];
    const text = textOf(number % 3);
    const whole = wire.plain(model).replace('"Hello there."', () => JSON.stringify(text));
    const events = wire.opening(model) + wire.delta(text) + wire.closing(model);
    const body = model.endsWith("array") ? arrayOf(events) : isStream ? events : whole;
    response.writeHead(200, { "content-type": "application/json" });
    // Cut within characters too.
    const bytes = Buffer.from(body);
    for (let at = 0; at < bytes.length; at += 37) response.write(bytes.subarray(at, at + 37));
    response.end();
  }

  it.each(CASES)(
    "are read as what they are: $client to $upstream, streamed: $streamed, $way",
    async ({ client, upstream, streamed, way }) => {
      const prompt = `Rivers, ${client} ${streamed}?`;
      const { path, body } = wireForm({ protocol: client, streamed, prompt, model: `${upstream}-${way}` });
      const several =
        client === "chat-completions"
          ? { n: 3 }
          : { generationConfig: { candidateCount: 3, maxOutputTokens: 2_000 } };
      const reply = await ask(gateway.url, path, { ...body, ...several });
      expect(reply.status, reply.text).toBe(200);
      const texts = textsOf(reply, streamed);
      expect(texts.toSorted()).toEqual([0, 1, 2].map(textOf));
      const receipt = await waitFor("a receipt", async () => {
        const id = reply.headers.get("x-request-id");
        const { status, json } = await ask(gateway.url, `/v1/receipts/${id}`);
        return status === 200 ? json : undefined;
      });
      expect(receipt).toMatchObject({ reason: "completed", estimated: false });
      expect(Number(receipt.charge_nanos)).toBe(3 * (7 * 3_000 + 3 * 15_000));
    },
  );
});

function arrayOf(events: string): string {
  const items = readEvents(events).map(({ data }) => JSON.stringify(data));
  return `[${items.join("\n,")}]`;
}

function textsOf(reply: Reply, streamed: boolean): string[] {
  const texts: string[] = [];
  const bodies = streamed ? readEvents(reply.text).map(({ data }) => data) : [reply.json];
  // biome-ignore lint/suspicious/noExplicitAny: tests reach deep into wire forms
  for (const each of bodies.flatMap((body: any) => body.choices ?? body.candidates ?? [])) {
    const parts: { text?: string }[] = each.content?.parts ?? [];
    const said = (each.message ?? each.delta)?.content ?? parts.map(({ text }) => text ?? "").join("");
    texts[each.index] = (texts[each.index] ?? "") + said;
  }
  return texts;
}
