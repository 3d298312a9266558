import { describe, expect, it } from "vitest";
import { createLog, type Log } from "./log.ts";

describe("a log line", () => {
  it("is one line of JSON with level, time, fields and a sentence", () => {
    const line = written((log) => log.child({ part: "relay" }).warn({ upstream: "main" }, "it is slow"));
    expect(JSON.parse(line)).toMatchObject({
      level: "warn",
      part: "relay",
      upstream: "main",
      msg: "it is slow",
    });
    expect(line.split("\n").length).toBe(2);
  });

  it("hides fields that hold secrets or content", () => {
    const secret = "canary-value";
    const line = written((log) =>
      log.error({ key: secret, body: secret, request: { authorization: secret, messages: [secret] } }, "x"),
    );
    expect(line).not.toContain(secret);
  });

  it("keeps of an error its type, scrubbed message, code and stack, and nothing that hangs on it", () => {
    const cause = Object.assign(new Error("connect to postgres://app:hunter2@db/x failed"), {
      code: "ECONNREFUSED",
    });
    const error = Object.assign(
      new Error("key sk-abcdefgh12345678 was sent as Bearer abc.def to /x?key=zzz&a=1", { cause }),
      {
        rows: ["a prompt"],
        code: "23505",
      },
    );
    const line = written((log) => log.error({ err: error }, "failed"));
    for (const word of ["abcdefgh12345678", "abc.def", "zzz", "hunter2", "a prompt"])
      expect(line).not.toContain(word);
    expect(JSON.parse(line)).toMatchObject({
      err: {
        type: "Error",
        code: "23505",
        stack: expect.stringContaining("log.test"),
        cause: { code: "ECONNREFUSED" },
      },
    });
  });

  it("never quotes the text in which JSON.parse stumbled", () => {
    let caught: unknown;
    try {
      JSON.parse('{"prompt": secret words}');
    } catch (error) {
      caught = error;
    }
    expect(written((log) => log.error({ err: caught }, "bad"))).not.toContain("secret");
  });

  it("survives errors that cause each other and things that are no errors", () => {
    const error = new Error("a");
    error.cause = error;
    expect(written((log) => log.error({ err: error }, "x"))).toContain('"a"');
    expect(written((log) => log.error({ err: "sk-abcdefgh12345678" }, "x"))).not.toContain("abcdefgh");
  });
});

function written(write: (log: Log) => void): string {
  let text = "";
  write(createLog({ level: "trace", destination: { write: (line) => (text += line) } }));
  return text;
}
