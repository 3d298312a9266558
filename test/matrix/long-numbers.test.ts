import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { LONG, longRequest, longResponse } from "../support/long-numbers.ts";
import { modelsFile } from "../support/models-file.ts";
import { TEXT_PROTOCOLS, type TextProtocol, wireForm } from "../support/text-caller.ts";
import { MODEL_OF, PAIRS } from "../support/translated-world.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { ask } from "../support/world.ts";

const CELLS = PAIRS.flatMap((pair) => [false, true].map((streamed) => ({ ...pair, streamed })));

describe("numbers that no double holds", () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream(({ protocol, streamed, response }) => {
      const type = streamed ? "text/event-stream" : "application/json";
      response.writeHead(200, { "content-type": type }).end(longResponse(protocol, streamed));
    });
    gateway = await startGateway({
      catalog: modelsFile({
        models: TEXT_PROTOCOLS.map((protocol) => MODEL_OF[protocol]),
        upstreams: TEXT_PROTOCOLS.map((protocol) => ({
          name: protocol,
          url: vendor.url,
          protocols: [protocol],
          models: [MODEL_OF[protocol]],
        })),
      }),
    });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await vendor?.close();
  });

  async function exchange(
    client: TextProtocol,
    upstream: TextProtocol,
    streamed: boolean,
    prompt = "Look.",
  ): Promise<Exchanged> {
    const model = MODEL_OF[upstream];
    const { path } = wireForm({ protocol: client, prompt, model, streamed });
    const body = longRequest(client, model, streamed).replace("Look.", prompt);
    const reply = await ask(gateway.url, path, body, { key: TEST_KEY });
    expect(reply.status, reply.text).toBe(200);
    const sent = vendor.calls.at(-1)?.body.toString() ?? "";
    expect(sent).toMatch(/"temperature": ?0\.7/);
    return { sent: numbersIn(sent), heard: numbersIn(reply.text) };
  }

  it.each(CELLS)(
    "keep all digits: $client to $upstream, streamed: $streamed",
    async ({ client, upstream, streamed }) => {
      expectAllDigits(await exchange(client, upstream, streamed));
    },
  );

  it.each([
    { client: "messages", upstream: "generate-content" },
    { client: "responses", upstream: "messages" },
  ] as const)(
    "keep all digits where the body is translated in a thread of its own: $client to $upstream",
    async ({ client, upstream }) => {
      expectAllDigits(await exchange(client, upstream, false, "Look. ".repeat(250_000)));
    },
  );
});

interface Exchanged {
  readonly sent: readonly string[];
  readonly heard: readonly string[];
}

function expectAllDigits({ sent, heard }: Exchanged): void {
  expect(sent).toEqual([LONG.called, LONG.called, LONG.limit, LONG.result].toSorted());
  // Responses of one protocol repeat the tools.
  expect(heard.filter((number) => number !== LONG.limit)).toEqual(heard.filter(isAnswered));
  expect(heard.filter(isAnswered).length).toBeGreaterThanOrEqual(2);
}

/** Numbers of more than 12 letters, whatever stands in them; the caller's own temperature is none of those meant. */
function numbersIn(text: string): readonly string[] {
  const numbers: readonly string[] = text.match(/(?<![\w-])-?\d[\d.]{12,}(?:e\+?\d+)?/g) ?? [];
  return numbers.filter((number) => number !== LONG.temperature).toSorted();
}

const isAnswered = (number: string): boolean => number === LONG.answered;
