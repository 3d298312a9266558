import { expect, it } from "vitest";
import { openEventScanner, openFrameReader, readFrameAt } from "./stream-frames.ts";

const MB = Buffer.alloc(1024 * 1024, "x");

it("reads an event as large as the largest images", () => {
  const reader = openFrameReader();
  expect(reader.write(Buffer.from("data: "))).toEqual([]);
  for (let written = 0; written < 25; written += 1) expect(reader.write(MB)).toEqual([]);
  const [frame, ...more] = reader.write(Buffer.from("\n\ndata: next\n\n"));
  expect([frame?.data.length, more]).toEqual([
    25 * MB.length,
    [expect.objectContaining({ name: "", data: "next" })],
  ]);
});

it("throws at an event larger than any answer, which nobody would miss otherwise", () => {
  const reader = openFrameReader();
  const writeTooMuch = (): void => {
    for (let written = 0; written <= 96; written += 1) reader.write(MB);
  };
  expect(writeTooMuch).toThrow("an event of more than");
});

it("throws at an event of more lines than any answer has, whatever they are, and counts none of an item of an array", () => {
  for (const line of ["a\n", ":\n", "data:\n", "data: x\r", "\u00e9\r\n"]) {
    const reader = openFrameReader();
    expect(
      () => reader.write(Buffer.from(`${line.repeat(100_001)}${line.replace(/^[^\r\n]*/, "")}x`)),
      line,
    ).toThrow("100000 lines");
  }
  expect(openFrameReader().write(Buffer.from(`${"data: 1\n".repeat(100_000)}\n`))).toHaveLength(1);
  const items: number[] = [];
  const array = Buffer.from(`[{${"\n".repeat(200_000)}}]`);
  openEventScanner(array, (_, start, end) => items.push(end - start), { isWhole: true })?.write(array);
  expect(items).toEqual([200_002]);
});

it("makes no text and no event of its own of a comment alone, of which a flood must not hold up others", () => {
  const read = [": ping\n", ":\r\n", ": other"].map((text) =>
    readFrameAt(Buffer.from(text), 0, Buffer.byteLength(text)),
  );
  expect(read.map(({ data }) => data)).toEqual(["", "", ""]);
  expect(new Set(read).size).toBe(1);
});

it("takes lines beside an event for an error only if they say one", () => {
  const read = (text: string) => {
    const { name, data } = readFrameAt(Buffer.from(text), 0, Buffer.byteLength(text));
    return [name, data];
  };
  const error = '{"error":{"message":"Sorry."}}';
  expect(read(`: ping\r\n${error}\r\n`)).toEqual(["error", error]);
  expect(read(`error: ${error}\n`)).toEqual(["error", ` ${error}`]);
  expect(read(`data: {\n"error":{}}\n`)).toEqual(["error", '{\n"error":{}}']);
  for (const stray of ['{"a":1}', '{"error":null}', "Sorry.", "[]", "data: {}{", "{"])
    expect(read(`event: x\ndata: {"b":2}\n${stray}\n`)[0], stray).toBe("x");
});
