import fc from "fast-check";
import { expect, it } from "vitest";
import { loggedPath } from "./log-failure.ts";

it.each([
  ["/v1/v1/chat/completions", "/v1/v1/chat/completions"],
  ["/v1/v1beta/models/gpt-5:streamGenerateContent", "/v1/v1beta/models/gpt-5:streamGenerateContent"],
  ["/chat/completions?key=secret&x=/y", "/chat/completions"],
  ["/v1/sk-short/messages", "/v1/*/messages"],
  ["/v1/main-key-0123456789abcdef/messages", "/v1/*/messages"],
  ["/sk-0123456789abcdefghijklmnopqrstuvwxyz/v1", "/*/v1"],
  ["/AIzaSyA0123456789abcdefghijklmnopqrst", "/*"],
  ["/abcdefghijklmnopqrstuvwxyzabcdefghijklmn", "/*"],
  ["/v1/a%0ab/x%1b[31m", "/v1/*/*"],
  ["/v1/\u001b[31m/\u0085", "/v1/*/*"],
  ["user:secret@host/v1", "*/v1"],
  ["", ""],
])("the path %j is told as %j", (url, told) => {
  expect(loggedPath(url)).toBe(told);
});

it("a told path is short, of one line, and holds no generated key", () => {
  const key = fc.stringMatching(/^sk-[0-9A-Za-z]{48}$/);
  fc.assert(
    fc.property(fc.array(fc.oneof(key, fc.string(), fc.constant("v1"))), fc.string(), (parts, query) => {
      const told = loggedPath(`/${parts.join("/")}?${query}`);
      expect(told).toMatch(/^[\w.:~*/-]{1,200}$/);
      expect(told).not.toContain("sk-");
    }),
  );
});
