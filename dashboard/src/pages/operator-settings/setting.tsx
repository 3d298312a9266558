import type { ReactNode } from "react";
import type { ApiError } from "../../api/api-error.ts";
import { Badge } from "../../parts/badge.tsx";
import { Field, Input, Select, Textarea } from "../../parts/field.tsx";
import { useLanguage } from "../../words/language.ts";
import { useWords } from "../../words/use-words.ts";
import { ABOUT_ZH } from "./about-settings.ts";
import { isSound, type SettingField, shapeOf, typedOf } from "./values.ts";
import { settingsWords } from "./words.ts";

interface SettingProps {
  readonly field: SettingField;
  readonly typed: string;
  readonly change: (typed: string) => void;
  readonly fault: ApiError | undefined;
}

/** One setting: what it means, what holds by default, what is set. */
export function Setting({ field, typed, change, fault }: SettingProps): ReactNode {
  const t = useWords(settingsWords);
  const shape = shapeOf(field.schema);
  const label = (
    <>
      <code className="font-mono">{field.name}</code>{" "}
      <Badge tone={typed === "" ? "plain" : "accent"}>{typed === "" ? t.isDefault : t.isSet}</Badge>
    </>
  );
  const standard = typedOf("json", field.default).replace(/\s+/g, " ");
  const how = shape === "lines" ? t.oneALine : shape === "json" ? t.json : "";
  const known =
    shape === "switch" || shape === "json"
      ? ""
      : t.byDefault(standard === "" || standard === "[]" ? t.nothing : standard);
  const hint = [useAbout(field), known, how].filter(Boolean).join(" ");
  const error = isSound(shape, typed) ? fault : t.badJson;
  return (
    <Field label={label} hint={hint} error={error}>
      <Editor shape={shape} typed={typed} change={change} standard={standard} />
    </Field>
  );
}

function useAbout({ name, description }: SettingField): string {
  const about = useLanguage() === "zh" ? ABOUT_ZH[name] : undefined;
  return about === undefined ? `${description}.` : `${about}。`;
}

interface EditorProps extends Pick<SettingProps, "typed" | "change"> {
  readonly shape: ReturnType<typeof shapeOf>;
  readonly standard: string;
}

function Editor({ shape, typed, change, standard }: EditorProps): ReactNode {
  const t = useWords(settingsWords);
  switch (shape) {
    case "switch":
      return (
        <Select value={typed} onChange={(event) => change(event.target.value)}>
          <option value="">
            {t.useDefault}: {standard === "true" ? t.on : t.off}
          </option>
          <option value="true">{t.on}</option>
          <option value="false">{t.off}</option>
        </Select>
      );
    case "number":
      return (
        <Input
          type="number"
          placeholder={standard}
          value={typed}
          onChange={(event) => change(event.target.value)}
        />
      );
    case "text":
      return <Input spellCheck={false} value={typed} onChange={(event) => change(event.target.value)} />;
    default:
      return (
        <Textarea
          rows={Math.min(12, Math.max(2, typed.split("\n").length))}
          spellCheck={false}
          placeholder={shape === "json" ? standard : undefined}
          className="font-mono text-sm"
          value={typed}
          onChange={(event) => change(event.target.value)}
        />
      );
  }
}
