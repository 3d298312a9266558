import { describe, expect, it } from "vitest";
import { createBodyScan } from "../../src/base/json/json-scan.ts";
import { boundCallsOf } from "../../src/billing/pricing/calls-held.ts";
import { boundCalls } from "../../src/billing/pricing/usage-bound.ts";
import { readFeatures } from "../../src/protocols/body-features.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import { watchOf } from "../../src/relay/admit/watch.ts";

const CODE = "code_execution_20260120";

/** What is paid of a search and a container where these tools are offered. */
function paid(tools: readonly string[]) {
  const body = { model: "m", max_tokens: 5, messages: [], tools: tools.map((type) => ({ type, name: "t" })) };
  const scanner = createBodyScan(watchOf("messages"));
  scanner.write(Buffer.from(JSON.stringify(body)));
  const features = readFeatures(PROTOCOLS.messages.forward.hold, scanner.end());
  const bound = boundCallsOf(features, undefined, { runsByDefault: false, maxPasses: 9 });
  const reported = [
    { tool: "web_search", count: 1 },
    { tool: "code_execution", count: 1 },
  ];
  const { calls = [] } = boundCalls(reported, { calls: bound, responses: 1 } as never);
  return calls.map(({ tool }) => tool);
}

describe("code execution", () => {
  it.each([
    [["web_search_20260209", CODE], ["web_search"]],
    [["web_search_20260209"], ["web_search"]],
    [["web_search_20270131", CODE], ["web_search"]],
    [["web_search_20250305", "web_fetch_20260209", CODE], ["web_search"]],
    [["web_search_20250305", "web_fetch_20260318", CODE], ["web_search"]],
    [
      ["web_search_20250305", CODE],
      ["web_search", "code_execution"],
    ],
    [
      ["web_search_20250305", "web_fetch_20250910", CODE],
      ["web_search", "code_execution"],
    ],
    [[CODE], ["code_execution"]],
  ])("is paid unless a search or fetch that runs code is offered too: %j", (tools, expected) => {
    expect(paid(tools)).toEqual(expected);
  });
});
