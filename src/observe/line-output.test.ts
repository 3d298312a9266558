import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { waitFor } from "../../test/support/wait.ts";
import { lineOutput } from "./line-output.ts";

let folder: string;
let pipe: number;

beforeEach(() => {
  folder = mkdtempSync("/tmp/faregate-lines-");
  execFileSync("mkfifo", [join(folder, "pipe")]);
  pipe = openSync(join(folder, "pipe"), constants.O_RDWR | constants.O_NONBLOCK);
});
afterEach(() => {
  closeSync(pipe);
  rmSync(folder, { recursive: true, force: true });
});

/** All that the pipe holds now. */
function read(): string {
  const chunks: Buffer[] = [];
  for (;;) {
    const chunk = Buffer.alloc(65_536);
    try {
      chunks.push(chunk.subarray(0, readSync(pipe, chunk)));
    } catch {
      return Buffer.concat(chunks).toString();
    }
  }
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `${index} ${"x".repeat(1_000)}\n`);

describe("the log's output", () => {
  it("has each line out as it is written", () => {
    const output = lineOutput({ descriptor: pipe, onLeftOut: () => undefined });
    output.write("one\n");
    expect(read()).toBe("one\n");
  });

  it("lets lines wait while nobody reads, and loses none of them nor their order", async () => {
    const output = lineOutput({ descriptor: pipe, onLeftOut: () => undefined });
    const lines = numbered(500);
    for (const line of lines) output.write(line);
    let text = "";
    await waitFor("all lines", () => {
      text += read();
      return text.length === lines.join("").length;
    });
    expect(text).toBe(lines.join(""));
  });

  it("leaves out what is beyond its limit, says how much, and goes on", async () => {
    const told: number[] = [];
    const output = lineOutput({ descriptor: pipe, onLeftOut: (lines) => told.push(lines) });
    for (const line of numbered(3_000)) output.write(line);
    let text = "";
    await waitFor("the count", () => {
      text += read();
      return told.length > 0;
    });
    text += read();
    expect(text.split("\n").length - 1 + (told[0] ?? 0)).toBe(3_000);
    output.write("afterwards\n");
    expect(read()).toBe("afterwards\n");
  });

  it("outlives a disk without room", () => {
    // Left open, as the line is tried for as long as this process lives: the number would soon be another file's.
    const full = openSync("/dev/full", "w");
    lineOutput({ descriptor: full, onLeftOut: () => undefined }).write("one\n");
  });
});
