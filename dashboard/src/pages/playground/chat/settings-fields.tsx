import type { ReactNode } from "react";
import { Button } from "../../../parts/button.tsx";
import { Field, Input, Select, Textarea } from "../../../parts/field.tsx";
import { useWords } from "../../../words/use-words.ts";
import { playgroundWords } from "../words.ts";
import type { Effort } from "./conversation.ts";
import { EXAMPLE_TOOLS, readSettings, type Settings } from "./settings.ts";

interface SettingsProps {
  readonly settings: Settings;
  readonly change: (settings: Settings) => void;
}

const EFFORTS: readonly Effort[] = ["", "low", "medium", "high"];
const WIDE = "(min-width: 64rem)";

/** What is said to the model beside the conversation; folded away where there is little room. */
export function SettingsFields({ settings, change }: SettingsProps): ReactNode {
  const t = useWords(playgroundWords);
  const set = (values: Partial<Settings>): void => change({ ...settings, ...values });
  const toolsFault = readSettings(settings) === undefined ? t.toolsWrong : undefined;
  const number = (name: "temperature" | "topP" | "maxTokens", most: number, step: number): ReactNode => (
    <Field label={t[name]}>
      <Input
        type="number"
        min={0}
        max={most}
        step={step}
        placeholder={t.own}
        value={settings[name]}
        onChange={(event) => set({ [name]: event.target.value })}
      />
    </Field>
  );
  return (
    <details open={window.matchMedia(WIDE).matches} className="min-w-0">
      <summary className="py-1 font-medium">{t.settings}</summary>
      <div className="flex flex-col gap-4 pt-2">
        <Field label={t.system}>
          <Textarea
            rows={3}
            value={settings.system}
            onChange={(event) => set({ system: event.target.value })}
          />
        </Field>
        <Field label={t.effort}>
          <Select value={settings.effort} onChange={(event) => set({ effort: event.target.value as Effort })}>
            {EFFORTS.map((effort) => (
              <option key={effort} value={effort}>
                {t.efforts[effort]}
              </option>
            ))}
          </Select>
        </Field>
        {number("temperature", 2, 0.1)}
        {number("topP", 1, 0.05)}
        {number("maxTokens", 1_000_000, 1)}
        <Field label={t.tools} hint={t.toolsHint} error={toolsFault}>
          <Textarea
            rows={settings.tools === "" ? 2 : 10}
            spellCheck={false}
            className="font-mono text-sm"
            value={settings.tools}
            onChange={(event) => set({ tools: event.target.value })}
          />
        </Field>
        {settings.tools === "" && (
          <div>
            <Button onClick={() => set({ tools: EXAMPLE_TOOLS })}>{t.toolsExample}</Button>
          </div>
        )}
      </div>
    </details>
  );
}
