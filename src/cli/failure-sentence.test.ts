import { describe, expect, it } from "vitest";
import { readConfig } from "../config.ts";
import { sentenceOf } from "./failure-sentence.ts";

const config = readConfig({ FAREGATE_DATA_DIR: "/srv/faregate", HOST: "127.0.0.1", PORT: "80" });

function failure(fields: Partial<NodeJS.ErrnoException> & { hostname?: string }): Error {
  return Object.assign(new Error(`${fields.code}: raw words`), fields);
}

describe("a failed command", () => {
  it.each([
    [
      "EACCES",
      "/srv",
      /user has no read and write permission for all of it\. Change the owner of the folder to this user, or set FAREGATE/,
    ],
    ["EACCES", "/srv/faregate/master.key", /all of it \(\/srv\/faregate\/master\.key\)\. Change the owner/],
    ["EROFS", "/srv/faregate/pg.new", /file system is read-only \(\/srv\/faregate\/pg\.new\)\. Set FAREGATE/],
    ["ENOTDIR", "/srv/faregate", /a path that should be a folder isn't one\. Set FAREGATE_DATA_DIR/],
    ["ENOENT", "/srv/faregate", /no folder can be created there\. Set FAREGATE_DATA_DIR/],
    ["ENOSPC", "/srv/faregate/journal/1", /its disk is full \(.*\)\. Free some space.*FAREGATE_DATA_DIR/],
  ])("for %s at %s tells of the data folder what to do", (code, path, sentence) => {
    const said = sentenceOf(failure({ code, path, syscall: "open" }), config);
    expect(said).toMatch(/^The data folder \/srv\/faregate can't be used: /);
    expect(said).toMatch(sentence);
  });

  it("of an embedded database without room tells of the disk", () => {
    const error = new Error('could not write to file "pg_wal/1": No space left on device; initdb failed');
    expect(sentenceOf(error, config)).toMatch(/^The data folder .*its disk is full\. Free some space/);
  });

  it.each([
    ["listen", "EADDRINUSE", /^Port 80 of 127\.0\.0\.1 is in use.*PORT/],
    ["bind", "EADDRINUSE", /^Port 80 of 127\.0\.0\.1 is in use.*PORT/],
    ["listen", "EACCES", /^This user may not listen on port 80\. Set PORT/],
  ])("at %s for %s tells what to set", (syscall, code, sentence) => {
    expect(sentenceOf(failure({ syscall, code }), config)).toMatch(sentence);
  });

  it("elsewhere keeps the words of the error", () => {
    const error = failure({ code: "EACCES", path: "/srv/other/faregate.yaml", syscall: "open" });
    expect(sentenceOf(error, config)).toBe("EACCES: raw words");
    expect(sentenceOf(error, undefined)).toBe("EACCES: raw words");
  });
});
