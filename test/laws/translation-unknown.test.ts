import { describe, expect, it } from "vitest";
import { CHAT_PROTOCOLS } from "../../src/conversation/protocol-name.ts";
import { requestsOf } from "../support/translation-matrix/samples.ts";
import { askUnknown } from "../support/unknown-fields.ts";

describe("a field that nobody knows, in any object of a request", () => {
  it.each(CHAT_PROTOCOLS)("is told as lost, or refused, on the way from %s", (from) => {
    const { asked, silent } = askUnknown(from, requestsOf(from));
    expect(silent).toEqual([]);
    expect(asked).toBeGreaterThan(500);
  });
});
