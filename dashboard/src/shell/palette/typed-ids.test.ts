import { describe, expect, it } from "vitest";
import { typedIds } from "./typed-ids.ts";

const REQUEST = "req_0123456789abcdef0123456789abcdef";
const TASK = "task-0123456789abcdef0123456789abcdef";

describe("the ids in a text", () => {
  it.each([
    [REQUEST, { request: REQUEST }],
    [`  ${REQUEST}\n`, { request: REQUEST }],
    [
      `{"error":{"message":"It failed.","code":"upstream_error"},"request_id":"${REQUEST}"}`,
      { request: REQUEST },
    ],
    [`It failed (request id: ${REQUEST}).`, { request: REQUEST }],
    [TASK, { task: TASK }],
    ["chatcmpl-9f8e7d", { other: "chatcmpl-9f8e7d" }],
    ["vendor_17", { other: "vendor_17" }],
    ["two words 17", {}],
    ["statement", {}],
    ["k1", {}],
    ["", {}],
  ])("are found: %s", (text, found) => {
    expect(typedIds(text)).toEqual({ request: undefined, task: undefined, other: undefined, ...found });
  });
});
