import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Model, Upstream } from "../catalog/catalog.ts";
import { withListedTools } from "../catalog/listed-tool-prices.ts";
import { type CallPrice, NO_DIMENSIONS } from "../catalog/price-table.ts";
import { publicList } from "../price-lists/public-list.ts";
import { findTool } from "../usage/tool-names.ts";
import { type KindName, kindOf } from "./kinds.ts";
import * as listed from "./vendor-tool-prices.ts";

const XAI = "https://api.x.ai/v1";

/** The prices of tools by which a model of these upstreams is charged. */
function callsOf(own: Readonly<Record<string, CallPrice>>, ...upstreams: [KindName, string, string?][]) {
  const price = { id: 1n, rates: { input: 1n }, media: {}, dimensions: { ...NO_DIMENSIONS, calls: own } };
  const model = { id: "m", price } as unknown as Model;
  const reached = upstreams.map(([kind, name, baseUrl = "https://vendor.example"]) => ({
    kind,
    baseUrl,
    models: new Map([["m", name]]),
  }));
  const toolsOf = (kind: string) => kindOf(kind)?.listedTools ?? [];
  return withListedTools(model, reached as unknown as Upstream[], toolsOf).price?.dimensions?.calls ?? {};
}

describe("list prices of vendors' tools", () => {
  it("hold without configuration, for names of any date", () => {
    const openai = callsOf({}, ["openai", "gpt-5.4"]);
    expect(openai[findTool(Object.keys(openai), "web_search_2027_01_31") ?? ""]).toEqual({
      per: "use",
      nanos: 10_000_000n,
    });
    expect(openai[findTool(Object.keys(openai), "code_interpreter") ?? ""]).toEqual({
      per: "use",
      sizes: { "1g": 30_000_000n, "4g": 120_000_000n, "16g": 480_000_000n, "64g": 1_920_000_000n },
    });
    const anthropic = callsOf({}, ["anthropic", "claude-opus-5"]);
    expect(findTool(Object.keys(anthropic), "web_search_20270131")).toBe("web_search");
    const gemini = Object.keys(callsOf({}, ["gemini", "gemini-3-pro"]));
    for (const tool of ["googleSearch", "google_search_retrieval", "googleMaps", "fileSearch"])
      expect(findTool(gemini, tool), tool).toBeDefined();
  });

  it("hold for a tool that the vendor counts under another name", () => {
    const grok = callsOf({}, ["openai-compatible", "grok-5", XAI]);
    expect(grok[findTool(Object.keys(grok), "document_search") ?? ""]).toEqual({
      per: "use",
      nanos: 10_000_000n,
    });
    const own = { document_search: { per: "use", nanos: 1n } } as const;
    const calls = callsOf(own, ["openai-compatible", "grok-5", XAI]);
    expect(calls).toMatchObject(own);
    expect(Object.keys(calls)).not.toContain("attachment_search");
  });

  it("go by the vendor's model and address where they differ", () => {
    expect(callsOf({}, ["gemini", "models/gemini-2.5-pro"])["google_search"]).toEqual({
      per: "request",
      nanos: 35_000_000n,
    });
    expect(callsOf({}, ["gemini", "gemini-3.5-flash"])["google_search"]).toEqual({
      per: "use",
      nanos: 14_000_000n,
    });
    expect(callsOf({}, ["gemini", "gemini-2.5-flash"])["google_maps"]).toEqual({
      per: "request",
      nanos: 25_000_000n,
    });
    expect(callsOf({}, ["gemini", "gemini-3.5-flash"])["google_maps"]).toEqual({
      per: "use",
      nanos: 14_000_000n,
    });
    expect(callsOf({}, ["openai-compatible", "grok-5", XAI])["x_search"]).toEqual({
      per: "use",
      nanos: 5_000_000n,
    });
    expect(callsOf({}, ["openai-compatible", "grok-5", "https://api.x.ai.example/v1"])).toEqual({});
    expect(callsOf({}, ["openai-compatible", "kimi-k3", "https://api.moonshot.ai/v1"])).toEqual({
      web_search: { per: "use", nanos: 5_000_000n },
    });
    // It bills in yuan.
    expect(callsOf({}, ["openai-compatible", "kimi-k3", "https://api.moonshot.cn/v1"])).toEqual({});
    expect(callsOf({}, ["sandbox", "gpt-5.4"])).toEqual({});
  });

  it("are a cloud's own, by the vendor of the model there", () => {
    expect(callsOf({}, ["vertex", "gemini-2.5-pro"])).toMatchObject({
      google_search: { per: "request", nanos: 35_000_000n },
    });
    expect(callsOf({}, ["vertex", "gemini-3.5-flash"])).toMatchObject({
      google_search: { per: "use", nanos: 14_000_000n },
    });
    expect(callsOf({}, ["vertex", "claude-opus-5@20260501"])).toEqual({});
    expect(callsOf({}, ["azure", "our-deployment"])).toMatchObject({
      web_search: { per: "use", nanos: 14_000_000n },
    });
    expect(callsOf({}, ["azure", "claude-opus-5"])).toEqual({
      web_search: { per: "use", nanos: 10_000_000n },
    });
  });

  it("give way to the catalog's price for any tool of the family", () => {
    const own = { web_search: { per: "use", nanos: 1n } } as const;
    const calls = callsOf(own, ["openai", "gpt-4o"]);
    expect(calls).toMatchObject(own);
    expect(Object.keys(calls)).not.toContain("web_search_preview");
    expect(Object.keys(calls)).toContain("file_search");
  });

  it("are the highest price of those who may answer", () => {
    const both = [
      ["openai-compatible", "grok-5", XAI],
      ["openai", "gpt-5.4"],
    ] as [KindName, string, string?][];
    for (const upstreams of [both, both.toReversed()])
      expect(callsOf({}, ...upstreams)).toMatchObject({
        web_search: { per: "use", nanos: 10_000_000n },
        code_container: { sizes: { "64g": 1_920_000_000n } },
      });
  });

  // An independent reading: the public list has a price of searches for each model.
  it("of web searches are those of the public list", async () => {
    const { entries } = await publicList(Date.parse("2026-11-27T00:00:00Z"));
    let compared = 0;
    for (const { vendor, model, read } of entries) {
      if (vendor !== "openai" && vendor !== "anthropic") continue;
      const table = read();
      const theirs = table.table?.calls["web_search"];
      if (theirs === undefined) continue;
      compared += 1;
      expect(callsOf({}, [vendor, model])["web_search"], model).toEqual(theirs);
    }
    expect(compared).toBeGreaterThan(20);
  });

  it("stand in the documentation, each with its source and the day on which it was read", () => {
    const page = readFileSync("docs/catalog-file.md", "utf8");
    const [, table = ""] = /<!-- listed tools -->\n([\s\S]*?)\n\n/.exec(page) ?? [];
    expect(table).toBe(documented());
  });
});

const text = (nanos: bigint): string => `$${Number(nanos) / 1e9}`;

function documented(): string {
  const rows = Object.values(listed)
    .flat()
    .map(({ vendor, tool, price, of, source, date }) => {
      const usd =
        "nanos" in price
          ? `${text(price.nanos)}${price.per === "request" ? " per request" : ""}`
          : Object.entries(price.sizes)
              .map(([size, nanos]) => `${size} ${text(nanos)}`)
              .join(", ");
      return `| ${vendor}${of === undefined ? "" : ` (${of})`} | \`${tool}\` | ${usd} | [${date}](${source}) |`;
    });
  return ["| Vendor (models) | Tool | Price of a call | Source |", "| - | - | - | - |", ...rows].join("\n");
}
