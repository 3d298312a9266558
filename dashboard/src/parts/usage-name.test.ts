import { expect, it } from "vitest";
import { bucketName } from "../../../src/billing/pricing/bucket-price.ts";
import { TOKEN_BUCKETS } from "../../../src/usage/usage.ts";
import { receiptWords } from "./receipt-words.ts";
import { usageNameOf } from "./usage-name.ts";

it.each([
  ["audio_input", "Audio input", "音频输入"],
  ["input", "Input", "输入"],
  ["tier turbo", "Service tier “turbo”", "服务等级“turbo”"],
  ["region eu", "Region “eu”", "区域“eu”"],
  ["call web_search", "Calls of web_search", "调用 web_search"],
  ["call image high", "Calls of image, high", "调用 image（high）"],
  ["unit page", "Units: page", "单位：page"],
  ["model helper", "Model helper", "模型 helper"],
  ["output of helper", "Output of helper", "输出（模型 helper）"],
])("says %s in words", (what, english, chinese) => {
  expect(usageNameOf(receiptWords.en, what)).toBe(english);
  expect(usageNameOf(receiptWords.zh, what)).toBe(chinese);
});

it.each(TOKEN_BUCKETS.map(bucketName))("has words for tokens without a price: %s", (name) => {
  expect(usageNameOf(receiptWords.en, name)).toMatch(/^[A-Z][a-z ,0-9]+/);
  expect(usageNameOf(receiptWords.zh, name)).toMatch(/[一-鿿]/);
});
