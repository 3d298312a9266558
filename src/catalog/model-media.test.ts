import { expect, it } from "vitest";
import type { Catalog, Model } from "./catalog.ts";
import { inputMediaOf } from "./model-media.ts";

function reads(kind: string, name: string, quirks: Record<string, unknown> = {}): string[] {
  const upstream = { kind, models: new Map([["ours", name]]) };
  const catalog = { serving: () => [upstream] } as unknown as Catalog;
  return [...inputMediaOf(catalog, { id: "ours", quirks } as unknown as Model, "default")];
}

it.each([
  ["openai", "gpt-3.5-turbo", []],
  ["openai", "gpt-4", []],
  ["openai", "gpt-4-turbo", ["image"]],
  ["openai", "gpt-4o-audio-preview", ["audio"]],
  ["openai", "gpt-5.2", ["image", "document"]],
  ["openai", "o3-mini", []],
  ["openai", "o4-mini", ["image", "document"]],
  ["openai-compatible", "openai/gpt-oss-120b", []],
  ["openai-compatible", "google/gemma-3-27b-it", ["image"]],
  ["anthropic", "claude-2.1", []],
  ["anthropic", "claude-3-5-sonnet-20241022", ["image", "document"]],
  ["openai-compatible", "us.anthropic.claude-sonnet-4-5", ["image", "document"]],
  ["gemini", "gemini-2.5-flash", ["image", "document", "audio", "video"]],
  ["gemini", "gemini-embedding-001", []],
  ["openai-compatible", "deepseek-chat", []],
  ["openai-compatible", "somebodys-own-model", []],
  ["sandbox", "anything", ["image", "document", "audio", "video"]],
])("is known of %s's %s that it reads %j", (kind, name, expected) => {
  expect(reads(kind, name)).toEqual(expected);
});

it("is what the catalog says, where it says something", () => {
  expect(reads("sandbox", "x", { input_media: [] })).toEqual([]);
  expect(reads("openai", "gpt-4", { input_media: ["video", "image"] })).toEqual(["image", "video"]);
});
