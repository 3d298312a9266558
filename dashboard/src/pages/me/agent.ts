/** What a browser says it is, in the words a person knows; undefined where it says nothing known. */
export function agentOf(text: string): {
  readonly browser: string | undefined;
  readonly system: string | undefined;
} {
  return { browser: firstOf(BROWSERS, text), system: firstOf(SYSTEMS, text) };
}

// In this order, since most claim to be several.
const BROWSERS: readonly (readonly [word: RegExp, name: string])[] = [
  [/Edg\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\//, "Firefox"],
  [/Chrom(e|ium)\//, "Chrome"],
  [/Safari\//, "Safari"],
  [/^curl\//, "curl"],
];

const SYSTEMS: readonly (readonly [word: RegExp, name: string])[] = [
  [/iPhone|iPad/, "iOS"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
];

function firstOf(table: typeof BROWSERS, text: string): string | undefined {
  return table.find(([word]) => word.test(text))?.[1];
}
