import { describe, expect, it } from "vitest";
import { schemaOfFields } from "../../../src/families/field-schema.ts";
import { FAMILIES } from "../../../src/families/table.ts";
import { ABOUT_ZH as FIELDS_ZH } from "../pages/playground/media/about-fields.ts";
import type { Words } from "./use-words.ts";

type Page = { readonly [key: string]: Page | string | ((...values: (string | number)[]) => string) };

/** Every words file of the dashboard, by its path. */
const FILES = import.meta.glob<Record<string, unknown>>(["../**/{words,*-words}.ts", "!./use-words.ts"], {
  eager: true,
});

/** Phrases that the pages have outgrown, each with what is written instead. */
const RETIRED_EN: readonly [phrase: RegExp, instead: string][] = [
  [/\bfor ever\b/i, "permanently, no expiry"],
  [/\b(some|any|every|no)body\b(?!, including)/i, "someone, anyone, everyone, no one; or the role"],
  [/\bwho(m|se)?ever\b/i, "the role: administrator, operator, client"],
  [/^What (?!the token is for)[^?]* (is|are|was|were)\b/, "a noun"],
  [/\bworks? no more\b|\bno more\b/i, "stops working"],
  [/\bfrom the next moment on\b|\bfrom (now|then) on\b/i, "immediately"],
  [/\bat once\b/i, "immediately; concurrent"],
  [/\bin all\b/i, "total"],
  [/\bmay (do|look|only)\b/i, "permissions, read-only"],
  [/\bthe house\b/i, "platform"],
  [/\banew\b/i, "again, new"],
  [/\bbesides?\b/i, "with, next to"],
  [/\bset aside\b|\bheld by\b|\bgiven back\b|\bwent back\b/i, "reserved, released"],
  [/\bpictures?\b/i, "image"],
  [/\bsounds?\b/i, "audio"],
  [/\be-mail\b/i, "email"],
  [/(?<!two-)\bfactor\b/i, "price multiplier"],
  [/\blongest (answer|output)\b/i, "max output tokens"],
  [/\b9[59] (%|in 100)/, "p95, p99"],
  [/\bpeculiarit/i, "quirks"],
  [/\bis like that\b|\bcalled like that\b/i, "No ... match"],
  [/\bVALUE is (ready|changed|saved|removed|revoked|created|deleted|open)\b/i, "VALUE saved"],
  [/\bthe books\b/i, "ledger"],
  [/\b(one|id) a line\b|\bone to a line\b/i, "one per line"],
  [/\bId\b/, "ID"],
];

const RETIRED_ZH: readonly [phrase: RegExp, instead: string][] = [
  [/冻结/, "预留"],
  [/退回/, "释放"],
  [/系数/, "倍率"],
  [/下一刻/, "立即"],
  [/电子邮箱/, "邮箱"],
  [/凭证/, "凭据"],
  [/回答|应答/, "响应"],
  [/半数|95 ?% 在/, "p50, p95"],
  [/最长(回答|输出)/, "最大输出 token 数"],
  [/\bTokens?\b/, "token"],
  [/(?<!控制台)令牌数|个令牌/, "token"],
  [/特殊行为/, "quirks"],
];

/** Everything that a page says, functions as what they say of `values`. */
function said(page: Page, values: readonly (string | number)[]): readonly [key: string, text: string][] {
  return Object.entries(page).flatMap(([key, words]): readonly [string, string][] => {
    if (typeof words === "string") return [[key, words]];
    if (typeof words === "function") return [[key, words(...values)]];
    return said(words, values).map(([below, text]) => [`${key}.${below}`, text]);
  });
}

const VALUES = Array.from({ length: 4 }, () => "VALUE");

/** Names that are the same in Chinese: of APIs, products and units. */
const NAMES = new Set([
  ...["Slack", "Teams", "Base URL", "URL", "Webhook", "Webhook URL", "ID", "Top P"],
  ...["Chat Completions", "Responses", "Messages", "generateContent", "Embeddings", "Rerank"],
  "HTTP VALUE",
]);

/** True if there is nothing to translate: names, amounts and punctuation. */
function isNoWord(text: string): boolean {
  const rest = text.replaceAll("VALUE", "");
  return text === "" || NAMES.has(text) || !/[a-z]{2}/i.test(rest);
}

function retiredIn(
  texts: readonly (readonly [key: string, text: string])[],
  retired: typeof RETIRED_EN,
): readonly string[] {
  return texts.flatMap(([key, text]) =>
    retired.filter(([phrase]) => phrase.test(text)).map(([, instead]) => `${key}: ${text} -> ${instead}`),
  );
}

const PAGES = Object.entries(FILES).flatMap(([file, exported]) =>
  Object.values(exported)
    .filter(isWords)
    .map((words) => [file, words] as const),
);

function isWords(exported: unknown): exported is Words<Page> {
  return typeof exported === "object" && exported !== null && "en" in exported && "zh" in exported;
}

describe("the words of the pages", () => {
  it("are found", () => {
    expect(PAGES.length).toBeGreaterThan(25);
  });

  it.each(PAGES)("keep to the glossary: %s", (_, words) => {
    const found = [
      ...retiredIn(said(words.en, VALUES), RETIRED_EN),
      ...retiredIn(said(words.zh, VALUES), RETIRED_ZH),
    ];
    expect(found).toEqual([]);
  });

  it.each(PAGES)("say one of a thing in the singular: %s", (_, words) => {
    // A count comes as a number or as text; a word is right if it is for either, in any place.
    const ones = [1, "1"].flatMap((a) => [1, "1"].flatMap((b) => [1, "1"].map((c) => [a, b, c])));
    const spoken = ones.map((values) => said(words.en, values));
    const wrong = (spoken[0] ?? []).filter((_text, index) =>
      spoken.every((texts) => /\b1 (?!is\b|was\b|has\b)[a-z]+s\b/.test(texts[index]?.[1] ?? "")),
    );
    expect(wrong).toEqual([]);
  });

  it.each(PAGES)("say the same things in both languages, in different words: %s", (_, words) => {
    const english = new Map(said(words.en, VALUES));
    const chinese = said(words.zh, VALUES);
    expect(chinese.map(([key]) => key).sort()).toEqual([...english.keys()].sort());
    const same = chinese.filter(([key, text]) => text === english.get(key) && !isNoWord(text));
    expect(same).toEqual([]);
  });

  it("stand in words files alone", () => {
    const files = import.meta.glob<string>(["../**/*.{ts,tsx}", "!./use-words.ts"], {
      eager: true,
      query: "?raw",
      import: "default",
    });
    const others = Object.keys(files).filter((file) => !Object.hasOwn(FILES, file));
    expect(
      others.filter((file) => /\bwordsOf\(/.test(files[file] ?? "") && !file.endsWith(".test.ts")),
    ).toEqual([]);
  });

  it.each(Object.entries(FAMILIES))(
    "keep to the glossary in what is said of the fields of %s",
    (id, family) => {
      const { properties } = schemaOfFields(family.fields({ id, variant: null }));
      const about = Object.entries(properties).map(
        ([name, schema]) => [name, (schema as { description: string }).description] as const,
      );
      expect(about.length).toBeGreaterThan(3);
      expect(retiredIn(about, RETIRED_EN)).toEqual([]);
    },
  );

  it("keep to the glossary in what is said of fields in Chinese", () => {
    expect(retiredIn(Object.entries(FIELDS_ZH), RETIRED_ZH)).toEqual([]);
  });
});
