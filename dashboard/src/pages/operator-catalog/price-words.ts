import { formatCount } from "../../format/count.ts";
import { useWords, wordsOf } from "../../words/use-words.ts";

type Word = (name: string) => string;

/** How prices are called, which the catalog file and the console name by their keys: `steps.272000.audio.cache_read`. */
export const priceNames = wordsOf({
  en: {
    tokens: {
      input: "Input",
      output: "Output",
      reasoning: "Reasoning",
      cache_read: "Cache read",
      cache_read_explicit: "Cache read, explicit",
      cache_write: "Cache write",
      cache_write_30m: "Cache write, 30 min",
      cache_write_1h: "Cache write, 1 h",
      cache_write_12h: "Cache write, 12 h",
    } as Readonly<Record<string, string>>,
    media: { audio: "Audio", image: "Images", video: "Video" } as Readonly<Record<string, string>>,
    ofMedium: { input: "input", output: "output", cache_read: "cached" } as Readonly<Record<string, string>>,
    medium: (medium: string, of: string) => `${medium}, ${of}`,
    request: "Request",
    rows: {
      tiers: (name: string) => `tier ${name}`,
      speeds: (name: string) => `speed ${name}`,
      regions: (name: string) => `region ${name}`,
      hours: (name: string) => `hours ${name}`,
    } as Readonly<Record<string, Word>>,
    inStep: (price: string, above: string) => `${price} above ${above} ${above === "1" ? "token" : "tokens"}`,
    inRow: (price: string, row: string) => `${price}, ${row}`,
    kinds: {
      calls: (name: string) => `Call of ${name}`,
      units: (name: string) => `Unit ${name}`,
      per_image: (name: string) => `Image, ${name}`,
      per_second: (name: string) => `Second of video, ${name}`,
    } as Readonly<Record<string, Word>>,
    ends: {
      factor: "Multiplier",
      utc: "Times (UTC)",
      days: "Days",
      price: "Price",
      per: "Counted per",
    } as Readonly<Record<string, string>>,
  },
  zh: {
    tokens: {
      input: "输入",
      output: "输出",
      reasoning: "推理",
      cache_read: "缓存读取",
      cache_read_explicit: "缓存读取（显式）",
      cache_write: "缓存写入",
      cache_write_30m: "缓存写入（30 分钟）",
      cache_write_1h: "缓存写入（1 小时）",
      cache_write_12h: "缓存写入（12 小时）",
    } as Readonly<Record<string, string>>,
    media: { audio: "音频", image: "图片", video: "视频" } as Readonly<Record<string, string>>,
    ofMedium: { input: "输入", output: "输出", cache_read: "缓存读取" } as Readonly<Record<string, string>>,
    medium: (medium: string, of: string) => `${medium}${of}`,
    request: "每次请求",
    rows: {
      tiers: (name: string) => `等级 ${name}`,
      speeds: (name: string) => `速度 ${name}`,
      regions: (name: string) => `区域 ${name}`,
      hours: (name: string) => `时段 ${name}`,
    } as Readonly<Record<string, Word>>,
    inStep: (price: string, above: string) => `${price}（超过 ${above} 个 token）`,
    inRow: (price: string, row: string) => `${price}（${row}）`,
    kinds: {
      calls: (name: string) => `调用 ${name}`,
      units: (name: string) => `单位 ${name}`,
      per_image: (name: string) => `每张图片，${name}`,
      per_second: (name: string) => `每秒视频，${name}`,
    } as Readonly<Record<string, Word>>,
    ends: { factor: "倍率", utc: "时间（UTC）", days: "星期", price: "价格", per: "计量单位" } as Readonly<
      Record<string, string>
    >,
  },
});

/** Says a price's keys in words: `Input above 272,000 tokens`, `Audio, cached`. Keys that are not known stay as they are. */
export function usePriceName(): (path: string) => string {
  const t = useWords(priceNames);
  return (path) => priceNameOf(t, path);
}

export function priceNameIn(language: "en" | "zh", path: string): string {
  return priceNameOf(priceNames[language], path);
}

function priceNameOf(t: (typeof priceNames)["en"], path: string): string {
  const [first = "", name = "", ...rest] = path.split(".");
  const leaf = (keys: readonly string[]): string => {
    const [key = "", of = ""] = keys;
    const medium = t.media[key];
    if (medium !== undefined && of !== "") return t.medium(medium, t.ofMedium[of] ?? of);
    return t.tokens[key] ?? t.ends[key] ?? (key === "request" ? t.request : keys.join("."));
  };
  if (first === "steps") return t.inStep(leaf(rest), formatCount(Number(name)));
  const row = t.rows[first]?.(name);
  if (row !== undefined) return t.inRow(leaf(rest), row);
  const kind = name === "" ? undefined : t.kinds[first]?.(name);
  if (kind !== undefined) return rest.length === 0 ? kind : t.inRow(kind, leaf(rest));
  return leaf(name === "" ? [first] : [first, name, ...rest]);
}
