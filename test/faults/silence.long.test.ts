import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { cleanLedger, postedRow } from "../support/money-books.ts";
import { impatientSdk } from "../support/sdk-caller.ts";
import { call, type Heard, TEXT_PROTOCOLS, type TextProtocol } from "../support/text-caller.ts";
import { expectErrorForm } from "../support/text-errors.ts";
import { PAIRS } from "../support/translated-world.ts";
import {
  serveWell,
  type VendorCall,
  type VendorUpstream,
  vendorUpstream,
} from "../support/vendor-upstream.ts";
import { VENDOR_WIRES } from "../support/vendor-wire.ts";

const SILENCE_MS = 60_000;
/** As `settings.keepalive` is shipped. */
const FIRST_MS = 25_000;
/** Of clients and proxies that give up a silent connection within a minute. */
const PATIENCE_MS = 45_000;
const OVERLOADED = { status: 529, type: "overloaded_error", code: "overloaded_error", message: "Busy." };

/** What stands for "still there"; "" = an event without a line. */
const SIGNS: Readonly<Record<TextProtocol, string>> = {
  "chat-completions": ": keep-alive",
  responses: ": keep-alive",
  messages: 'event: ping\ndata: {"type": "ping"}',
  "generate-content": "",
};

const refuse = ({ protocol, response }: VendorCall): void => {
  response.writeHead(529, { "content-type": "application/json" });
  response.end(VENDOR_WIRES[protocol].error(OVERLOADED));
};

/** By the beginning of the model's name. */
const CONDUCT: Readonly<Record<string, (call: VendorCall) => void>> = {
  silent: (heard) => void setTimeout(() => serveWell(heard), SILENCE_MS),
  pause: ({ protocol, model, response }) => {
    const { opening, delta, closing } = VENDOR_WIRES[protocol];
    response.writeHead(200, { "content-type": "text/event-stream" }).write(opening(model) + delta("Hello"));
    setTimeout(() => response.end(delta(" there.") + closing(model)), SILENCE_MS);
  },
  "refused-at-20": (heard) => void setTimeout(() => refuse(heard), 20_000),
  "refused-at-40": (heard) => void setTimeout(() => refuse(heard), 40_000),
  "backed-refused-at-40": (heard) => void setTimeout(() => refuse(heard), 40_000),
};

describe("H9, a minute of silence under the settings as shipped", () => {
  let vendor: VendorUpstream;
  let healthy: VendorUpstream;
  let gateway: TestGateway;
  const at = (conduct: string, upstream: TextProtocol): string => `${conduct}-of-${upstream}`;
  beforeAll(async () => {
    vendor = await vendorUpstream((heard) => CONDUCT[heard.model.replace(/-of-.*/, "")]?.(heard));
    healthy = await vendorUpstream();
    const upstreams = TEXT_PROTOCOLS.flatMap((protocol) => [
      {
        ...{ name: protocol, url: vendor.url, protocols: [protocol] },
        models: Object.keys(CONDUCT).map((conduct) => at(conduct, protocol)),
      },
      {
        ...{ name: `rescue-${protocol}`, url: healthy.url, protocols: [protocol], priority: 1 },
        models: [at("backed-refused-at-40", protocol)],
      },
    ]);
    const models = [...new Set(upstreams.flatMap((each) => each.models))];
    gateway = await startGateway({ catalog: modelsFile({ models, upstreams }) });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await vendor?.close();
    await healthy?.close();
  });

  /** What was heard, and how long after the question the first of it. */
  async function ask(client: TextProtocol, model: string): Promise<Heard & { readonly firstMs: number }> {
    const beganMs = performance.now();
    let firstMs = Number.POSITIVE_INFINITY;
    const resetWhen = (): boolean => {
      firstMs = Math.min(firstMs, performance.now() - beganMs);
      return false;
    };
    // Each a conversation of its own, as one that was answered elsewhere stays there.
    const wish = { protocol: client, streamed: true, model, prompt: `Hello ${client} ${model}` };
    return { ...(await call(gateway.url, wish, { resetWhen })), firstMs };
  }

  const signs = (client: TextProtocol, text: string): number =>
    text
      .replace(/\n\n$/, "")
      .split("\n\n")
      .filter((event) => event === SIGNS[client]).length;

  it.concurrent("is bridged before the first event, from 25 s on, and between events", async () => {
    const asked = PAIRS.map(async ({ client, upstream }) => {
      const where = `${client} at ${upstream}`;
      const [silent, pause] = await Promise.all([
        ask(client, at("silent", upstream)),
        ask(client, at("pause", upstream)),
      ]);
      for (const heard of [silent, pause]) {
        expect(heard, where).toMatchObject({ status: 200, complete: true });
        expect(signs(client, heard.text), `${where}\n${heard.text}`).toBeGreaterThanOrEqual(3);
        const { reason, estimated } = await postedRow(gateway, heard.requestId);
        expect([reason, estimated], where).toEqual(["completed", false]);
      }
      // The sweep's step, by which a beat may be early.
      expect(silent.firstMs, where).toBeGreaterThan(FIRST_MS - 500);
    });
    await Promise.all(asked);
  });

  it.concurrent("ends no stream of an SDK that waits less than a minute", async () => {
    const asked = PAIRS.flatMap(({ client, upstream }) =>
      ["silent", "pause"].map(async (conduct) => {
        const way = { protocol: client, model: at(conduct, upstream), timeoutMs: PATIENCE_MS };
        expect(await impatientSdk(gateway.url, way), JSON.stringify(way)).toBe("Hello there.");
      }),
    );
    await Promise.all(asked);
  });

  it.concurrent("lets a refusal at 20 s be told by its status, and one at 40 s by an event, at no charge", async () => {
    const asked = TEXT_PROTOCOLS.map(async (protocol) => {
      const status = protocol === "messages" ? 529 : 502;
      const code = protocol === "messages" ? "upstream_overloaded" : "upstream_error";
      const [early, late, rescued] = await Promise.all([
        ask(protocol, at("refused-at-20", protocol)),
        ask(protocol, at("refused-at-40", protocol)),
        ask(protocol, at("backed-refused-at-40", protocol)),
      ]);
      expect(early.status, protocol).toBe(status);
      expectErrorForm(protocol, early.text, { status, code });
      expect(late, protocol).toMatchObject({ status: 200, complete: false });
      expect(late.text).toMatch(/error/);
      for (const { requestId } of [early, late])
        expect(await postedRow(gateway, requestId)).toMatchObject({ chargeNanos: 0n });
      expect(rescued, protocol).toMatchObject({ status: 200, complete: true });
      expect(rescued.text).toContain("there.");
    });
    await Promise.all(asked);
  });

  it("leaves clean books", async () => {
    await cleanLedger(gateway);
  });
});
