import type { ReactNode } from "react";
import { Badge } from "../../parts/badge.tsx";
import { useWords } from "../../words/use-words.ts";
import { aboutSettings } from "./about-words.ts";
import { Editor } from "./editor.tsx";
import type { SettingField } from "./values.ts";
import { settingsWords } from "./words.ts";

interface SettingProps {
  readonly field: SettingField;
  /** undefined = not set. */
  readonly value: unknown;
  readonly change: (value: unknown) => void;
  readonly error: unknown;
}

/** One setting: its purpose, its default, its value. */
export function Setting({ field, value, change, error }: SettingProps): ReactNode {
  const t = useWords(settingsWords);
  const about = useWords(aboutSettings)[field.name] ?? { title: field.name, help: field.description };
  const isSet = value !== undefined;
  const label = (
    <>
      {about.title} <code className="font-mono font-normal text-mute">{field.name}</code>{" "}
      <Badge tone={isSet ? "accent" : "plain"}>{isSet ? t.isSet : t.isDefault}</Badge>
    </>
  );
  return (
    <Editor
      schema={field.schema}
      name={field.name}
      at={field.name}
      label={label}
      help={about.help}
      value={value}
      standard={field.default}
      change={change}
      error={error}
    />
  );
}
