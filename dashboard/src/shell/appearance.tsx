import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { write } from "../api/client.ts";
import { sessionQuery } from "../api/session.ts";
import { Field, Select } from "../parts/field.tsx";
import { useLanguage } from "../words/language.ts";
import { useWords } from "../words/use-words.ts";
import { usePreference } from "./preferences.ts";
import { shellWords } from "./words.ts";

/** Puts theme and language on the document, so that style sheets, forms and screen readers know them. */
export function useAppearance(): void {
  const [theme] = usePreference("theme");
  const language = useLanguage();
  useEffect(() => {
    if (theme === "light" || theme === "dark") document.documentElement.dataset["theme"] = theme;
    else delete document.documentElement.dataset["theme"];
  }, [theme]);
  useEffect(() => {
    document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  }, [language]);
}

/** The two choices, for the menu's foot and for pages before signing in. */
export function AppearanceSwitches(): ReactNode {
  const t = useWords(shellWords);
  const [theme, chooseTheme] = usePreference("theme");
  const [, chooseLanguage] = usePreference("language");
  const { data: session } = useQuery(sessionQuery);
  const choose = (chosen: string): void => {
    chooseLanguage(chosen);
    // E-mail follows the pages; where that fails, it goes on as before.
    if (session && (chosen === "en" || chosen === "zh"))
      write("PUT", "/me/language", { language: chosen }).catch(() => undefined);
  };
  const language = useLanguage();
  return (
    <div className="grid grid-cols-2 gap-2">
      <Field label={t.language} quiet>
        <Select value={language} onChange={(event) => choose(event.target.value)}>
          <option value="en">English</option>
          <option value="zh">中文</option>
        </Select>
      </Field>
      <Field label={t.theme} quiet>
        <Select value={theme} onChange={(event) => chooseTheme(event.target.value)}>
          <option value="">{t.system}</option>
          <option value="light">{t.light}</option>
          <option value="dark">{t.dark}</option>
        </Select>
      </Field>
    </div>
  );
}
