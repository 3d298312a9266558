import { describe, expect, it } from "vitest";
import { failureIn } from "../../src/protocols/errors/verdict.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import { TEXT_PROTOCOLS } from "../support/text-caller.ts";
import { VENDOR_WIRES, wholeStream } from "../support/vendor-wire.ts";

const PAIRS = TEXT_PROTOCOLS.flatMap((asked) =>
  TEXT_PROTOCOLS.filter((spoken) => spoken !== asked).map((spoken) => ({ asked, spoken })),
);

describe("a stream in another protocol than was asked for", () => {
  it.each(PAIRS)("holds no output, and is no answer: $spoken in place of $asked", ({ asked, spoken }) => {
    const meter = PROTOCOLS[asked].usage.openStream(1);
    meter.write(Buffer.from(wholeStream(spoken, "model")));
    meter.end();
    expect(meter.hasOutput).toBe(false);
    expect(meter.finished && failureIn(meter.summary(), true) === undefined).toBe(false);
  });

  it.each(TEXT_PROTOCOLS)("while its own does: %s", (protocol) => {
    const meter = PROTOCOLS[protocol].usage.openStream(1);
    meter.write(Buffer.from(wholeStream(protocol, "model")));
    meter.end();
    expect(meter).toMatchObject({ hasOutput: true, finished: true, error: undefined });
  });
});

describe("an error in a stream of generateContent", () => {
  const open = (frame: string) => {
    const meter = PROTOCOLS["generate-content"].usage.openStream(1);
    meter.write(Buffer.from(VENDOR_WIRES["generate-content"].delta("Hello")));
    meter.write(Buffer.from(frame));
    return meter;
  };
  const native = JSON.stringify({ error: { code: 503, message: "Overloaded.", status: "UNAVAILABLE" } });

  it("is in form where the vendor's clients raise it", () => {
    expect(open(`data: ${native}\n\n`)).toMatchObject({ error: { status: 503 }, upstreamFormatError: true });
  });

  it.each([
    ["an event with a name, which they pass over", `event: error\ndata: ${native}\n\n`],
    ["a word in place of the status", `data: {"type":"error","error":{"type":"overloaded_error"}}\n\n`],
    ["a status that is none", `data: {"error":{"code":1,"message":"no"}}\n\n`],
  ])("is not in form as %s", (_, frame) => {
    const meter = open(frame);
    expect(meter.error).toBeDefined();
    expect(meter.upstreamFormatError).toBe(false);
  });
});
