import { useWords } from "../words/use-words.ts";
import { receiptWords } from "./receipt-words.ts";

type ReceiptWords = (typeof receiptWords)["en"];

/** Says in words what a charge found no price for: `audio_input`, `tier turbo`, `call web_search high`, `input of helper`. */
export function useUsageName(): (what: string) => string {
  const t = useWords(receiptWords);
  return (what) => usageNameOf(t, what);
}

export function usageNameOf(t: ReceiptWords, what: string): string {
  const [name = "", model] = what.split(" of ");
  if (model !== undefined) return t.ofModel(usageNameOf(t, name), model);
  const [kind = "", of, size] = name.split(" ");
  if (of === undefined) return wordIn(t.unpricedBuckets, kind) ?? wordIn(t.buckets, kind) ?? kind;
  const dimension = wordIn(t.dimensions, kind);
  if (dimension !== undefined) return t.dimension(dimension, of);
  if (kind === "model") return t.model(of);
  const counted = kind === "call" || kind === "unit" ? t.counted[kind](of) : name;
  return size === undefined ? counted : t.ofSize(counted, size);
}

function wordIn(words: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(words, name) ? words[name] : undefined;
}
