import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { call, TEXT_PROTOCOLS } from "../support/text-caller.ts";
import { type VendorUpstream, vendorUpstream } from "../support/vendor-upstream.ts";
import { VENDOR_WIRES } from "../support/vendor-wire.ts";

const FAULT = { status: 500, type: "api_error", code: "server_error", message: "The model fell over." };

/** How a stream can end without the blank line that closes its last frame. */
const ENDS: Readonly<Record<string, (stream: string) => string>> = {
  "no line end": (stream) => stream.trimEnd(),
  "one line end": (stream) => `${stream.trimEnd()}\n`,
  "one CRLF": (stream) => `${stream.trimEnd().replaceAll("\n", "\r\n")}\r\n`,
  "CRLF, no line end": (stream) => stream.trimEnd().replaceAll("\n", "\r\n"),
  "CR, no line end": (stream) => stream.trimEnd().replaceAll("\n", "\r"),
  "one CR": (stream) => `${stream.trimEnd().replaceAll("\n", "\r")}\r`,
};
const NAMES = Object.keys(ENDS);
const CELLS = TEXT_PROTOCOLS.flatMap((protocol) => NAMES.map((end) => ({ protocol, end })));

describe("an error in a frame that its stream leaves open at the end", () => {
  let vendor: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await vendorUpstream(({ protocol, model, response }) => {
      const wire = VENDOR_WIRES[protocol];
      const ended = ENDS[NAMES[Number(model.replace("end-", ""))] ?? ""];
      const stream = wire.opening(model) + wire.delta("Hel") + wire.streamError(FAULT);
      const text = ended?.(stream) ?? "";
      const begun = text.indexOf("Hel") + 20;
      response.writeHead(200, { "content-type": "text/event-stream" }).write(text.slice(0, begun));
      setTimeout(() => response.end(text.slice(begun)), 40);
    });
    const models = NAMES.map((_, at) => `end-${at}`);
    gateway = await startGateway({
      catalog: modelsFile({ models, upstreams: [{ name: "open", url: vendor.url, models }] }),
    });
  });
  afterAll(async () => {
    await gateway?.clean();
    await vendor?.close();
  });

  it.each(CELLS)(
    "is told in a closed frame, and nothing behind it: $protocol, $end",
    async ({ protocol, end }) => {
      const model = `end-${NAMES.indexOf(end)}`;
      const heard = await call(gateway.url, {
        protocol,
        model,
        streamed: true,
        prompt: `${protocol} ${end}`,
      });
      expect(heard.status).toBe(200);
      expect(heard.complete).toBe(false);
      const events = strictly(heard.text);
      expect(events.at(-1), JSON.stringify(heard.text)).toContain(FAULT.message);
      expect(heard.text).not.toContain("[DONE]");
      expect(heard.text.split(FAULT.message)).toHaveLength(2);
    },
  );
});

/** The data of all frames that a blank line closes: what the specification of event streams calls an event. */
function strictly(text: string): string[] {
  const frames = text.replace(/\r\n|\r/g, "\n").split(/\n\n/);
  return frames.slice(0, -1).filter((frame) => frame.includes("data:"));
}
