import { appendFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ByteWriter } from "../../base/byte-writer.ts";
import { openJournalFiles, readJournalFiles } from "./journal-files.ts";
import { type RecordKind, recordOf, writeFramed } from "./journal-record.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "faregate-journal-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("journal files", () => {
  it("give back what was written, each line once, however often it was written", () => {
    const files = openJournalFiles(folder);
    files.append(Buffer.concat([begin(1), begin(2)]), 2);
    files.append(end(3, 1), 3);
    files.append(begin(2), 2);
    files.close();
    const { begins, ends, damaged } = readJournalFiles(folder);
    expect([...begins.keys()]).toEqual([1, 2]);
    expect([...ends]).toEqual([[3, { begin: 1, json: '{"n":3,"begin":1}' }]]);
    expect(damaged).toBe(0);
  });

  it("skip torn and changed lines and keep the others", () => {
    const files = openJournalFiles(folder);
    files.append(begin(1), 1);
    files.close();
    const [segment = ""] = readdirSync(folder);
    appendFileSync(join(folder, segment), begin(2).toString().replace('"n":2', '"n":9'));
    appendFileSync(join(folder, segment), begin(3).subarray(0, 15));
    const { begins, damaged } = readJournalFiles(folder);
    expect([...begins.keys()]).toEqual([1]);
    expect(damaged).toBe(2);
  });

  it("are deleted segment by segment, only when all lines of one are needless", () => {
    const files = openJournalFiles(folder);
    const large = "x".repeat(5 * 1024 * 1024);
    for (let number = 1; number <= 8; number += 1)
      files.append(framed("begin", `{"n":${number},"x":"${large}"}`), number);
    expect(readdirSync(folder)).toHaveLength(4);
    files.release(2);
    expect(readdirSync(folder)).toHaveLength(4);
    files.release(5);
    expect([...readJournalFiles(folder).begins.keys()]).toEqual([5, 6, 7, 8]);
    files.release(100);
    expect(readdirSync(folder), "the one being written stays").toHaveLength(1);
    files.remove();
    expect(readJournalFiles(folder).begins.size).toBe(0);
  });
});

const begin = (number: number): Buffer => framed("begin", `{"n":${number}}`);
const end = (number: number, of: number): Buffer => framed("end", `{"n":${number},"begin":${of}}`);

function framed(kind: RecordKind, json: string): Buffer {
  const writer = new ByteWriter();
  writeFramed(writer, kind, recordOf(json));
  return writer.view();
}
