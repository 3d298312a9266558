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
    const hosted = (protocol: ProtocolName, body: unknown) =>
      features(protocol, body).hostedTools.map(({ tool, place }) => `${place.path} ${tool}`);
    expect(hosted("responses", { tools })).toEqual(["tools[] web_search", "tools[] file_search"]);
    const keys = { function_declarations: [], googleSearch: {}, urlContext: {} };
    expect(hosted("generate-content", { tools: [keys] })).toEqual(["tools[] googleSearch"]);
    const run = [
      "browser_toolset_20260801",
      "computer_toolset_20260801",
      "programmatic_tool_calling",
      "mcp_toolset",
    ];
    expect(hosted("messages", { tools: run.map((type) => ({ type })) })).toEqual([]);
  });

  it.each<[ProtocolName, string, (tool: object) => unknown]>([
    ["responses", "tools[].tools[]", (tool) => ({ tools: [{ type: "namespace", tools: [tool] }] })],
    ["responses", "input[].tools[]", (tool) => ({ input: [{ type: "additional_tools", tools: [tool] }] })],
    [
      "responses",
      "input[].tools[].tools[]",
      (tool) => ({ input: [{ type: "additional_tools", tools: [{ type: "namespace", tools: [tool] }] }] }),
    ],
    [
      "messages",
      "messages[].content[].tool.definition",
      (tool) => ({
        messages: [{ role: "system", content: [{ type: "tool_addition", tool: { definition: tool } }] }],
      }),
    ],
    [
      "messages",
      "messages[].content[].tool_changes[].tool.definition",
      (tool) => ({
        messages: [{ content: [{ type: "compaction", tool_changes: [{ tool: { definition: tool } }] }] }],
      }),
    ],
  ])("see the tools that are defined within %s at %s", (protocol, path, body) => {
    const { hostedTools, vendorTools, unbounded } = features(
      protocol,
      body({ type: "web_search_20260318", name: "web_search" }),
    );
    expect(hostedTools.map(({ tool, place }) => [tool, place.path])).toEqual([["web_search_20260318", path]]);
    expect([vendorTools.length, unbounded]).toEqual([1, `${path.replaceAll("[]", "")}.type`]);
    const own = body({ type: "custom", name: "mine" });
    expect(features(protocol, own)).toMatchObject({ hostedTools: [], vendorTools: [], unbounded: undefined });
  });

  it("asks no price for tools that cost tokens alone, run by whom they may", () => {
    const typed = ["programmatic_tool_calling", "image_generation", "browser_search"].map((type) => ({
      type,
    }));
    expect(features("responses", { tools: typed }).hostedTools.map(({ tool }) => tool)).toEqual([
      "image_generation",
      "browser_search",
    ]);
    const browser = features("messages", { tools: [{ type: "browser_toolset_20260801", name: "browser" }] });
    expect([browser.hostedTools, browser.vendorTools.length]).toEqual([[], 0]);
    for (const tool of [{ fileSearch: {} }, { file_search: {} }, { mcpServers: [] }, { mcp_servers: [] }]) {
      const found = features("generate-content", { tools: [tool] });
      expect([found.hostedTools, found.vendorTools.length]).toEqual([[], 1]);
    }
  });

  it("name the fields that change the vendor's price, unless they leave that to the vendor", () => {
    for (const tier of ["auto", "AUTO", "SERVICE_TIER_AUTO", "", null])
      expect(features("chat-completions", { service_tier: tier }).pricedFields).toEqual([]);
    for (const value of ["default", "STANDARD", "SERVICE_TIER_STANDARD", "on_demand"])
      expect(features("chat-completions", { service_tier: value }).pricedFields).toEqual([
        { dimension: "tier", field: "service_tier", value },
      ]);
    expect(features("messages", { service_tier: "priority", speed: "fast" }).pricedFields).toEqual([
      { dimension: "tier", field: "service_tier", value: "priority" },
      { dimension: "speed", field: "speed", value: "fast" },
    ]);
  });

  it("name the media that the body can bring, so that no other is held for", () => {
    const read = (protocol: ProtocolName, body: unknown) => [...features(protocol, body).mediaRead].sort();
    const parts = (...content: object[]) => ({ messages: [{ role: "user", content }] });
    expect(read("chat-completions", parts({ type: "text", text: "audio" }))).toEqual([]);
    const sound = { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } };
    expect(read("chat-completions", parts(sound))).toEqual(["audio"]);
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
    expect(read("chat-completions", parts(image))).toEqual(["image"]);
    const film = { inlineData: { mimeType: "video/mp4", data: "AAAA" } };
    expect(read("generate-content", { contents: [{ parts: [film] }] })).toEqual(["audio", "image", "video"]);
    expect(read("responses", { previous_response_id: "resp_1", input: "Hi" })).toEqual([
      "audio",
      "image",
      "video",
    ]);
  });

  it("tell long-lived caches and chosen media", () => {
    const { mayWriteLong, requestedMedia } = features("responses", { prompt_cache_options: { ttl: "30m" } });
    expect([mayWriteLong, requestedMedia]).toEqual([false, []]);
    expect(features("responses", { prompt_cache_options: { ttl: "12h" } }).mayWriteLong).toBe(true);
    expect(features("chat-completions", { modalities: ["text", "audio"] }).requestedMedia).toEqual([
      { field: "modalities", start: 14, end: 30 },
    ]);
    const generationConfig = { responseModalities: ["AUDIO"] };
    expect(features("generate-content", { generationConfig }).requestedMedia).toMatchObject([
      { field: "generationConfig.responseModalities" },
    ]);
  });
});
