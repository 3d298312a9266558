import { describe, expect, it } from "vitest";
import { createBodyScan } from "../base/json/json-scan.ts";
import { compileWatch } from "../base/json/json-watch.ts";
import type { ProtocolName } from "../conversation/protocol-name.ts";
import { holdPaths, readFeatures } from "./body-features.ts";
import { PROTOCOLS } from "./table.ts";

function scanOf(protocol: ProtocolName, text: string) {
  const scanner = createBodyScan(compileWatch(holdPaths(PROTOCOLS[protocol].forward.hold)));
  scanner.write(Buffer.from(text));
  return scanner.end();
}

describe("features of a body", () => {
  const features = (protocol: ProtocolName, body: unknown) =>
    readFeatures(PROTOCOLS[protocol].forward.hold, scanOf(protocol, JSON.stringify(body)));

  it("name the tools that the vendor bills by the call, and no others", () => {
    const tools = ["function", "custom", "mcp", "web_search", "computer_use_preview", "file_search"].map(
      (type) => ({ type }),
    );
    expect(features("responses", { tools }).hostedTools).toEqual(["web_search", "file_search"]);
    expect(
      features("generate-content", {
        tools: [{ function_declarations: [], googleSearch: {}, urlContext: {} }],
      }).hostedTools,
    ).toEqual(["googleSearch"]);
  });

  it("name the fields that change the vendor's price, unless they ask for the usual one", () => {
    for (const tier of ["auto", "default", "STANDARD", "SERVICE_TIER_STANDARD", "on_demand"])
      expect(features("chat-completions", { service_tier: tier }).pricedFields).toEqual([]);
    expect(features("messages", { service_tier: "priority", speed: "fast" }).pricedFields).toEqual([
      { dimension: "tier", field: "service_tier", value: "priority" },
      { dimension: "speed", field: "speed", value: "fast" },
    ]);
  });
});
