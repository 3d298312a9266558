import { describe, expect, it } from "vitest";
import { kindOf, PRESET_KIND } from "./kinds.ts";
import { presetQuirks } from "./upstream-quirks.ts";
import { listedVendorOf, PRESET_NAMES, presetOf, type VendorPreset } from "./vendor-presets.ts";

const ROWS = PRESET_NAMES.map((name): [string, VendorPreset] => {
  const preset = presetOf(name);
  if (preset === undefined) throw new Error(`no preset is named ${name}`);
  return [name, preset];
});

describe("a vendor's preset", () => {
  it.each(ROWS)("%s has a base URL as the catalog file wants it, and says where it was read", (_, row) => {
    const url = new URL(row.baseUrl);
    expect(url.href.replace(/\/$/, "")).toBe(row.baseUrl);
    expect(row.baseUrl).not.toMatch(/[?#]|\/(chat\/completions|models|embeddings|responses)$/);
    expect(url.protocol).toBe(url.hostname === "localhost" ? "http:" : "https:");
    for (const link of [row.source, row.keysUrl ?? row.source]) expect(new URL(link).protocol).toBe("https:");
  });

  it.each(ROWS)("%s wants a key unless it is a server of one's own", (_, { baseUrl, needsKey }) => {
    expect(needsKey).toBe(new URL(baseUrl).hostname !== "localhost");
  });

  it.each(ROWS)("%s refines its kind: protocols that the kind has paths for, and the key", (name, row) => {
    const kind = kindOf(PRESET_KIND, name);
    expect(kind).toEqual({
      ...kindOf(PRESET_KIND),
      protocols: row.protocols,
      needsKey: row.needsKey,
    });
    for (const protocol of row.protocols) expect(kind?.paths).toHaveProperty(protocol);
  });

  it.each(ROWS.filter(([, { baseUrl, alsoAt }]) => alsoAt ?? !baseUrl.includes("//localhost")))(
    "%s gives an upstream at its address the quirks and the listed vendor that it gives by name",
    (name, { baseUrl, alsoAt = [] }) => {
      const hosts = alsoAt.map((address) =>
        address.startsWith(":") ? `http://gpu-box${address}/v1` : `https://${address}/v1`,
      );
      for (const at of [baseUrl, ...hosts]) {
        const byAddress = { preset: null, baseUrl: at };
        const byName = { preset: name, baseUrl: "http://127.0.0.1:1" };
        expect(presetQuirks(PRESET_KIND, "m", byAddress), at).toEqual(presetQuirks(PRESET_KIND, "m", byName));
        expect(listedVendorOf(byAddress), at).toBe(listedVendorOf(byName));
      }
    },
  );

  it("no two are at the same address", () => {
    const addresses = ROWS.flatMap(([, { baseUrl, alsoAt = [] }]) => [new URL(baseUrl).host, ...alsoAt]);
    expect(addresses).toEqual([...new Set(addresses)]);
  });

  it("tells reasoning in the field that the server has, which its address cannot say of vLLM", () => {
    const at = (preset: string | null) =>
      presetQuirks(PRESET_KIND, "qwen3", { preset, baseUrl: "http://localhost:8000/v1" });
    expect(at("vllm")).toMatchObject({ reasoningField: "reasoning" });
    expect(at(null)).not.toHaveProperty("reasoningField");
  });

  it("belongs to one kind", () => {
    expect(kindOf("anthropic", "vllm")).toEqual(kindOf("anthropic"));
    expect(kindOf(PRESET_KIND, "of a newer version")).toEqual(kindOf(PRESET_KIND));
  });
});
