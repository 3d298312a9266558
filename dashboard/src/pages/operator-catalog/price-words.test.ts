import { expect, it } from "vitest";
import { priceNameIn } from "./price-words.ts";

const NAMES = [
  ["input", "Input", "输入"],
  ["steps.272000.input", "Input above 272,000 tokens", "输入（超过 272,000 个 token）"],
  ["steps.272000.audio.input", "Audio, input above 272,000 tokens", "音频输入（超过 272,000 个 token）"],
  ["audio.cache_read", "Audio, cached", "音频缓存读取"],
  ["tiers.batch.factor", "Multiplier, tier batch", "倍率（等级 batch）"],
  ["tiers.flex.cache_write_1h", "Cache write, 1 h, tier flex", "缓存写入（1 小时）（等级 flex）"],
  ["hours.night.utc", "Times (UTC), hours night", "时间（UTC）（时段 night）"],
  ["calls.web_search", "Call of web_search", "调用 web_search"],
  ["calls.image.price", "Call of image, Price", "调用 image（价格）"],
  ["units.page", "Unit page", "单位 page"],
  ["request", "Request", "每次请求"],
] as const;

it.each(NAMES)("says %s in words", (path, english, chinese) => {
  expect(priceNameIn("en", path)).toBe(english);
  expect(priceNameIn("zh", path)).toBe(chinese);
});

it("leaves as it is what it does not know", () => {
  expect(priceNameIn("en", "a_new_price")).toBe("a_new_price");
});
