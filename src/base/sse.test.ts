import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dataLines, isComment, openFinder, openFrameScanner, readFrame } from "./sse.ts";

describe("frames of an event stream", () => {
  const lineEnd = fc.constantFrom("\n", "\r\n", "\r");
  const line = fc.constantFrom("data: a", "data:ü€𝄞", ": comment", "event: x", "data");
  const frame = fc.tuple(fc.array(line, { minLength: 1, maxLength: 3 }), lineEnd);
  const stream = fc.array(frame, { maxLength: 5 });

  it("are the same however bytes are cut and lines end", () => {
    fc.assert(
      fc.property(stream, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (frames, sizes) => {
        const bytes = Buffer.from(
          frames.map(([lines, end]) => lines.map((each) => each + end).join("") + end).join(""),
        );
        const seen = scan(pieces(bytes, sizes));
        expect(seen.frames.map((text) => text.split(/\r\n|\n|\r/).filter(Boolean))).toEqual(
          frames.map(([lines]) => lines),
        );
        expect(seen.bytes).toEqual(bytes);
      }),
    );
  });

  it("tell their lines from the blank one that closes them, wherever that is cut", () => {
    const text = "data: 1\r\rdata: 2\r\r";
    for (let size = 1; size <= text.length; size += 1) {
      const closings: string[] = [];
      const scanner = openFrameScanner({
        frame: (buffer, _, end, next) => closings.push(buffer.toString("utf8", end, next)),
      });
      for (const piece of pieces(Buffer.from(text), [size])) scanner.write(piece);
      scanner.end();
      expect(closings).toEqual(["\r", "\r"]);
    }
  });

  it("answers how many bytes of a chunk close whole frames", () => {
    const scanner = openFrameScanner({ frame() {} });
    expect(scanner.write(Buffer.from("data: 1\n\ndata: 2"))).toBe(9);
    expect(scanner.write(Buffer.from("34"))).toBe(0);
    expect(scanner.write(Buffer.from("\n\n"))).toBe(2);
  });

  it("include a last one that its vendor did not close", () => {
    expect(scan([Buffer.from("data: 1\n\ndata: [DONE]")]).frames).toEqual(["data: 1\n", "data: [DONE]"]);
  });

  it("pass in pieces, undelayed, when one is larger than may be held", () => {
    const passed: string[] = [];
    const scanner = openFrameScanner(
      {
        frame: (buffer, start, end) => passed.push(buffer.toString("utf8", start, end)),
        oversized: (piece) => passed.push(piece.toString()),
      },
      8,
    );
    for (const chunk of ["data: 123", "45", "6\n\nda", "ta: 1\n\n"]) scanner.write(Buffer.from(chunk));
    expect(passed).toEqual(["data: 123", "45", "6\n\n", "data: 1\n"]);
  });
});

describe("reading a frame", () => {
  it("joins data lines, strips one space, and knows the event's name", () => {
    expect(readFrame("event: x\ndata: a\ndata:  b\n: no\nid: 1\n")).toEqual({ name: "x", data: "a\n b" });
    expect(readFrame("data:{}\n")).toEqual({ name: "", data: "{}" });
    expect(readFrame("\ufeffdata: a\r\n")).toEqual({ name: "", data: "a" });
    expect(readFrame(": ping\n")).toEqual({ name: "", data: "" });
    expect(readFrame('data: a\n{"b":\ndata\nretry\n1}\n')).toEqual({
      name: "",
      data: "a",
      rest: '{"b":\n1}',
    });
  });
});

describe("a frame that is one comment", () => {
  it("is known by its bytes as a reader of its text knows it", () => {
    const line = fc.constantFrom(":", ": ping", ":ü", "data: a", "id: 1", "", "\ufeff: x");
    const frames = fc.array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r", "")), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(frames, (given) => {
        const text = given.map(([each, end]) => each + end).join("");
        const buffer = Buffer.from(`..${text}..`);
        const lines = text.split(/\r\n|\n|\r/);
        const isOne = lines.length === 1 || (lines.length === 2 && lines[1] === "");
        expect(isComment(buffer, 2, buffer.length - 2)).toBe(isOne && text.startsWith(":"));
      }),
    );
  });
});

describe("the lines of a frame's data", () => {
  it("stand where a reader of the standard finds them, however lines end", () => {
    const lines = fc.constantFrom("data: a b", "data:", "data:{}", "event: x", ": y", "id: 1", "data: ü");
    const frames = fc.array(fc.tuple(lines, fc.constantFrom("\n", "\r\n", "\r")), { minLength: 1 });
    fc.assert(
      fc.property(frames, fc.boolean(), (given, isMarked) => {
        const text = (isMarked ? "\ufeff" : "") + given.map(([line, end]) => line + end).join("");
        const buffer = Buffer.from(`..${text}..`);
        const found = dataLines(buffer, 2, buffer.length - 2);
        const values = found.map(({ start, end }) => buffer.toString("utf8", start, end));
        expect(values.join("\n")).toBe(readFrame(text).data);
        const whole = found.map(({ from, next }) => buffer.toString("utf8", from, next)).join("");
        const named = given.filter(([line]) => line.startsWith("data:")).map(([line, end]) => line + end);
        expect(whole.replace("\ufeff", "")).toBe(named.join(""));
      }),
    );
  });
});

describe("a finder", () => {
  it("finds what lies inside the frame and nothing beyond it", () => {
    const find = openFinder("ab");
    const buffer = Buffer.from("..ab..ab");
    expect([
      find(buffer, 0, 2),
      find(buffer, 0, 3),
      find(buffer, 0, 4),
      find(buffer, 3, 8),
      find(buffer, 7, 8),
    ]).toEqual([-1, -1, 2, 6, -1]);
    expect(find(buffer, 0, 8)).toBe(2);
  });
});

function pieces(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const cut: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    cut.push(bytes.subarray(at, at + size));
    at += size;
  }
  return cut;
}

function scan(chunks: readonly Buffer[]) {
  const frames: string[] = [];
  const bytes: Buffer[] = [];
  const scanner = openFrameScanner({
    frame(buffer, start, end, next) {
      if (end > start) frames.push(buffer.toString("utf8", start, end));
      bytes.push(buffer.subarray(start, next));
    },
  });
  for (const chunk of chunks) scanner.write(chunk);
  scanner.end();
  return { frames, bytes: Buffer.concat(bytes) };
}
