import { wordsOf } from "../words/use-words.ts";

export const snippetWords = wordsOf({
  en: { sdk: "Language and SDK", protocol: "Protocol", snippet: "Code snippet" },
  zh: { sdk: "语言与 SDK", protocol: "协议", snippet: "代码示例" },
});
