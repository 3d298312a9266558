import { afterEach, describe, expect, it } from "vitest";
import { CHAT_PROTOCOLS } from "../../src/conversation/protocol-name.ts";
import { requestsOf } from "../support/translation-matrix/samples.ts";
import { askUnknown } from "../support/unknown-fields.ts";

/** Names that every object answers to, that end or begin an object's prototype, or that read as a path. */
const NAMES = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "",
  "a.b",
  "a[0]",
  'a"]["b',
];

const CASES = CHAT_PROTOCOLS.flatMap((from) => NAMES.map((name) => ({ from, name })));

describe("a field of a request whose name is no plain word", () => {
  const before = Object.getOwnPropertyNames(Object.prototype);
  afterEach(() => expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before));

  it.each(CASES)(
    "is carried, told as lost or refused, and is no object's prototype: $name of $from",
    (asked) => {
      const { from, name } = asked;
      expect(askUnknown(from, requestsOf(from), name).silent).toEqual([]);
    },
  );
});
