import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasVendorWords, type Scrub } from "../errors/scrub-words.ts";
import { PROTOCOLS } from "../table.ts";
import { dropComments, scrubResponse, scrubStream } from "./scrub-stream.ts";

const SECRET = "secret-of-ours";
const text = (given: string): string => given.replaceAll(SECRET, "[redacted]");
const value = (given: unknown): unknown => {
  const json = JSON.stringify(given);
  return json?.includes(SECRET) ? JSON.parse(text(json)) : given;
};
const SCRUB: Scrub = { text, value };

const CONTENT = {
  "chat-completions": `data: {"id":"1","choices":[{"index":0,"delta":{"content":"${SECRET}"}}]}\n\n`,
  responses: `event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"${SECRET}"}\n\n`,
  messages: `event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${SECRET}"}}\n\n`,
  "generate-content": `data: {"candidates":[{"content":{"parts":[{"text":"${SECRET}"}]},"index":0}]}\n\n`,
} as const;

const OPENING = {
  "chat-completions": `data: {"id":"1","choices":[{"index":0,"delta":{"role":"assistant","content":"x"}}]}\n\n`,
  responses: `event: response.output_item.added\ndata: {"type":"response.output_item.added","item":{}}\n\n`,
  messages: `event: message_start\ndata: {"type":"message_start","message":{"content":[]}}\n\nevent: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n`,
  "generate-content": `data: {"candidates":[{"content":{"parts":[{"text":"x"}]},"index":0}]}\n\n`,
} as const;

/** A vendor's words in every place that a stream has for them. */
const WORDS = [
  `data: {"error":{"message":"${SECRET}"}}\n\n`,
  `event: error\ndata: {"type":"error","error":{"message":"${SECRET}"}}\n\n`,
  `event:error\ndata:{"type":"error","message":"${SECRET}"}\n\n`,
  `event: response.failed\ndata: {"type":"response.failed","response":{"output":[],"error":{"message":"${SECRET}"}}}\n\n`,
  `data: {"detail":"${SECRET}"}\n\n`,
  `data: {"code":400,"message":"${SECRET}"}\n\n`,
  `data: [{"error":{"message":"${SECRET}"}}]\n\n`,
  `data: ${SECRET}\n\n`,
  `event: error\ndata: ${SECRET}\n\n`,
  `event: ping ${SECRET}\ndata: {"type":"ping"}\n\n`,
  `: ${SECRET}\n\n`,
  `id: ${SECRET}\ndata: {"choices":[],"candidates":[],"type":"x","index":0,"delta":{}}\n\n`,
  `data: {"choices":[],"candidates":[],"type":"x","index":0,"delta":{}}\n: ${SECRET}\n\n`,
  `data: {"choices":[],"candidates":[],"type":"x","index":0,"delta":{}}\r: ${SECRET}\n\n`,
  `data: {"error":\ndata: {"message":"${SECRET}"}}\n\n`,
  `data: {"choices":[{"index":0,"delta":{},"error":{"message":"${SECRET}"}}]}\n\n`,
  `data: {"candidates":[{"finishReason":"OTHER","finishMessage":"${SECRET}"}]}\r\n\r\n`,
];

type Name = keyof typeof CONTENT;
const NAMES = Object.keys(CONTENT) as Name[];

/** As a stream is received: whole frames are told together, scrubbed where the meter has seen words. */
function receive(protocol: Name, stream: Buffer, cuts: readonly number[]): string {
  const meter = PROTOCOLS[protocol].usage.openStream();
  const told: Buffer[] = [];
  let held: Buffer[] = [];
  const ends = [...new Set([...cuts.map((cut) => cut % stream.length), stream.length])].sort((a, b) => a - b);
  let from = 0;
  for (const end of ends) {
    const chunk = stream.subarray(from, end);
    from = end;
    const whole = meter.write(chunk);
    held.push(chunk.subarray(0, whole));
    if (whole > 0) {
      const frames = Buffer.concat(held);
      told.push(meter.takeWords() ? scrubStream(frames, meter.truncated.form, SCRUB) : frames);
      held = [];
    }
    held.push(chunk.subarray(whole));
  }
  const rest = Buffer.concat(held);
  meter.end();
  told.push(meter.takeWords() ? scrubStream(rest, meter.truncated.form, SCRUB) : rest);
  return Buffer.concat(told).toString("utf8");
}

describe.each(NAMES)("a stream of %s", (protocol) => {
  const content = CONTENT[protocol];

  it.each(WORDS)("loses what is ours in a vendor's words, and a model's stay byte for byte: %j", (words) => {
    for (const before of ["", OPENING[protocol], OPENING[protocol] + content]) {
      const stream = Buffer.from(before + words + content);
      const told = receive(protocol, stream, []);
      expect(told.split(SECRET)).toHaveLength((before + content).split(SECRET).length);
      expect(told.startsWith(before)).toBe(true);
      expect(told.endsWith(content)).toBe(true);
      expect(told.slice(before.length, -content.length)).toContain("[redacted]");
    }
  });

  it("is told the same wherever it is cut", () => {
    // Each of the words alone: to read all of them again at each of their cuts takes ten times as long.
    for (const words of WORDS) {
      const stream = Buffer.from(OPENING[protocol] + content + words + content);
      const whole = receive(protocol, stream, []);
      for (let cut = 1; cut < stream.length; cut += 1) expect(receive(protocol, stream, [cut])).toBe(whole);
    }
    const stream = Buffer.from(OPENING[protocol] + content + WORDS.join(content) + content);
    const whole = receive(protocol, stream, []);
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 40 }), (cuts) => {
        expect(receive(protocol, stream, cuts)).toBe(whole);
      }),
    );
  });

  it("passes as the very bytes where nothing is ours", () => {
    const stream = Buffer.from(OPENING[protocol] + content + WORDS.join(content).replaceAll(SECRET, "sound"));
    expect(receive(protocol, stream, [7, 99, 400])).toBe(stream.toString("utf8"));
  });
});

describe("a JSON array that streams", () => {
  it("loses what is ours in items that tell of errors, and between items", () => {
    const stream = Buffer.from(
      `[{"candidates":[{"content":{"parts":[{"text":"${SECRET}"}]}}]}\n "${SECRET}", {"candidates":[{"content":{"parts":[{"text":"${SECRET}"}]}}]},{"error":{"message":"${SECRET}"}}]`,
    );
    const told = receive("generate-content", stream, []);
    expect(told.split(SECRET)).toHaveLength(3);
    expect(told).toContain('}\n "[redacted]", {');
    expect(told).toContain('{"error":{"message":"[redacted]"}}');
  });
});

describe("comments that a client fails on", () => {
  const told = (frames: string): string => dropComments(Buffer.from(frames)).toString();
  it.each(["\n", "\r\n", "\r"])("go with all lines of their frames: %j", (end) => {
    const [comment, event] = [`: P${end}${end}`, `data: {"ü": 1}${end}${end}`];
    expect(told(comment)).toBe("");
    expect(told(comment + comment + event + comment + event)).toBe(event + event);
    expect(told(`: a${end}: b${end}${end}${event}`)).toBe(event);
    expect(told(`: P${end}${event}`)).toBe(event);
    expect(told(`event: x${end}: P${end}${event}`)).toBe(`event: x${end}${event}`);
  });

  it("are no blank lines and no words of events", () => {
    for (const frames of ["\n\n", "data: {}\n\n\n\n", 'data: ": P"\n\n']) expect(told(frames)).toBe(frames);
  });
});

describe("a plain answer", () => {
  it("loses it in its error alone", () => {
    const response = { status: "failed", output: [{ text: SECRET }], error: { message: SECRET } };
    expect(hasVendorWords(response)).toBe(true);
    expect(JSON.parse(scrubResponse(Buffer.from(JSON.stringify(response)), SCRUB).toString("utf8"))).toEqual({
      ...response,
      error: { message: "[redacted]" },
    });
  });
});
