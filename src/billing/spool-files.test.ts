import { appendFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ByteSheet } from "../base/byte-sheet.ts";
import { type LineKind, lineOf, writeFramed } from "./line.ts";
import { openSpoolFiles, readSpoolFiles } from "./spool-files.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "faregate-spool-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("spool files", () => {
  it("give back what was written, each line once, however often it was written", () => {
    const files = openSpoolFiles(folder);
    files.append(Buffer.concat([begin(1), begin(2)]), 2);
    files.append(end(3, 1), 3);
    files.append(begin(2), 2);
    files.close();
    const { begins, ends, damaged } = readSpoolFiles(folder);
    expect([...begins.keys()]).toEqual([1, 2]);
    expect([...ends]).toEqual([[3, { begin: 1, json: '{"n":3,"begin":1}' }]]);
    expect(damaged).toBe(0);
  });

  it("skip torn and changed lines and keep the others", () => {
    const files = openSpoolFiles(folder);
    files.append(begin(1), 1);
    files.close();
    const [segment = ""] = readdirSync(folder);
    appendFileSync(join(folder, segment), begin(2).toString().replace('"n":2', '"n":9'));
    appendFileSync(join(folder, segment), begin(3).subarray(0, 15));
    const { begins, damaged } = readSpoolFiles(folder);
    expect([...begins.keys()]).toEqual([1]);
    expect(damaged).toBe(2);
  });

  it("are deleted segment by segment, only when all lines of one are needless", () => {
    const files = openSpoolFiles(folder);
    const large = "x".repeat(5 * 1024 * 1024);
    for (let number = 1; number <= 8; number += 1)
      files.append(framed("begin", `{"n":${number},"x":"${large}"}`), number);
    expect(readdirSync(folder)).toHaveLength(4);
    files.release(2);
    expect(readdirSync(folder)).toHaveLength(4);
    files.release(5);
    expect([...readSpoolFiles(folder).begins.keys()]).toEqual([5, 6, 7, 8]);
    files.release(100);
    expect(readdirSync(folder), "the one being written stays").toHaveLength(1);
    files.remove();
    expect(readSpoolFiles(folder).begins.size).toBe(0);
  });
});

const begin = (number: number): Buffer => framed("begin", `{"n":${number}}`);
const end = (number: number, of: number): Buffer => framed("end", `{"n":${number},"begin":${of}}`);

function framed(kind: LineKind, json: string): Buffer {
  const sheet = new ByteSheet();
  writeFramed(sheet, kind, lineOf(json));
  return sheet.view();
}
