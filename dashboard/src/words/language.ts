import { usePreference } from "../shell/preferences.ts";

export type Language = "en" | "zh";

/** The language the pages speak: the one chosen, else the browser's first. */
export function useLanguage(): Language {
  const [chosen] = usePreference("language");
  return chosen === "en" || chosen === "zh" ? chosen : browserLanguage();
}

function browserLanguage(): Language {
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}
