import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openFrameScanner, readFrame } from "../../base/sse.ts";
import { openEventSplitter } from "./event-splitter.ts";

const LINE_ENDS = ["\n", "\r\n", "\r"];
const OBJECT = fc.dictionary(
  fc.constantFrom("a", "b"),
  fc.oneof(fc.string(), fc.integer(), fc.constant({}), fc.constant([{}])),
);
/** Lines that may stand before an event's data. */
const BEFORE = fc.array(fc.constantFrom("event: message", "id: 7", "retry: 9", ": alive", ":"), {
  maxLength: 2,
});
const EVENT = fc.tuple(BEFORE, OBJECT);
const CUTS = fc.array(fc.nat(), { maxLength: 12 });

describe("events that a vendor parts by single line ends", () => {
  it("are read one by one, wherever the chunks are cut", () => {
    fc.assert(
      fc.property(
        fc.array(EVENT, { minLength: 1, maxLength: 5 }),
        fc.constantFrom(...LINE_ENDS),
        fc.constantFrom("data:", "data: "),
        CUTS,
        (events, end, field, cuts) => {
          const written = events.map(([before, object]) => [...before, `${field}${JSON.stringify(object)}`]);
          const lines = [...written.flat(), `${field}[DONE]`];
          const parted = part(`${lines.join(end)}${end}`, cuts);
          expect(read(parted)).toEqual([...events.map(([, object]) => JSON.stringify(object)), "[DONE]"]);
          // Each event keeps its own lines.
          const blank = `${end}${end}`;
          expect(parted).toBe([...written.map((event) => event.join(end)), lines.at(-1), ""].join(blank));
        },
      ),
    );
  });

  it("are known to be over as soon as the next begins", () => {
    const splitter = openEventSplitter();
    expect(splitter.write(Buffer.from('data: {"a":1}\n')).toString()).toBe('data: {"a":1}\n');
    expect(splitter.write(Buffer.from("data: {")).toString()).toBe("\ndata: {");
  });
});

describe("events that stay as they came", () => {
  it("are all of the standard's, also such as are written over several lines of data", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(BEFORE, OBJECT, BEFORE, fc.boolean()), { minLength: 1, maxLength: 5 }),
        fc.constantFrom(...LINE_ENDS),
        CUTS,
        (events, end, cuts) => {
          const text = events
            .map(([before, object, behind, isLong]) => {
              const json = JSON.stringify(object, null, isLong ? 1 : undefined);
              return [...before, ...json.split("\n").map((line) => `data: ${line}`), ...behind, "", ""].join(
                end,
              );
            })
            .join("");
          expect(part(text, cuts)).toBe(text);
        },
      ),
    );
  });

  it.each([
    '{\n "a": {\n },\n "b": [{}\n]}\n',
    '[{"a":1}\n,\n{"a":2}\n]',
    '\n {"a": "}\\ndata: {"}\n',
    "{}\ndata: {}",
  ])("are none: %j", (text) => {
    for (let cut = 0; cut <= text.length; cut += 1) expect(part(text, [cut])).toBe(text);
  });

  // Reading each line once for each line before it took minutes.
  it.each([":}\n", "event: a}\n", "id:}\n", ":}\r", "data: {}\n", `:${"x".repeat(199)}}\n`])(
    "are read in time that grows with their length alone: %j",
    (line) => {
      const splitter = openEventSplitter();
      const chunk = Buffer.from(line.repeat(Math.ceil(65_536 / line.length)));
      let bytes = splitter.write(Buffer.from('data: {"a":1}\n')).length;
      for (let count = 0; count < 128; count++) bytes += splitter.write(chunk).length;
      expect(bytes + splitter.end(false).length).toBeGreaterThanOrEqual(128 * chunk.length);
    },
  );

  it("keeps no more of a stream than a few lines", () => {
    const splitter = openEventSplitter();
    const endless = `data: {}\n: ${"x".repeat(2_000)}`;
    expect(splitter.write(Buffer.from(endless)).toString()).toBe(endless);
  });
});

function part(text: string, cuts: readonly number[]): string {
  const bytes = Buffer.from(text);
  const places = [...cuts.map((cut) => cut % (bytes.length + 1)), 0, bytes.length].sort((a, b) => a - b);
  const splitter = openEventSplitter();
  const chunks = places.slice(1).map((place, at) => splitter.write(bytes.subarray(places[at], place)));
  return Buffer.concat([...chunks, splitter.end(true)]).toString();
}

function read(text: string): readonly string[] {
  const events: string[] = [];
  const scanner = openFrameScanner({
    frame: (buffer, start, end) => events.push(readFrame(buffer.toString("utf8", start, end)).data),
  });
  scanner.write(Buffer.from(text));
  scanner.end();
  return events;
}
