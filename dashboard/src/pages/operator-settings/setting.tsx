import type { ReactNode } from "react";
import type { ApiError } from "../../api/api-error.ts";
import { Badge } from "../../parts/badge.tsx";
import { Said } from "../../parts/failure.tsx";
import { Field, Input, Select, Textarea } from "../../parts/field.tsx";
import { useWords } from "../../words/use-words.ts";
import { aboutParts, aboutSettings, SAYS_DEFAULT } from "./about-settings.ts";
import { isSound, partsOf, type SettingField, shapeOf, typedOf, typedParts, withPart } from "./values.ts";
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
  const saysDefault = shape === "switch" || shape === "json" || shape === "numbers";
  const known =
    saysDefault || SAYS_DEFAULT.has(field.name)
      ? ""
      : t.byDefault(standard === "" || standard === "[]" ? t.nothing : standard);
  const hint = [useAbout(field), known, how].filter(Boolean).join(" ");
  const error = isSound(shape, typed) ? fault : t.badJson;
  if (shape === "numbers")
    return <Numbers field={field} label={label} hint={hint} typed={typed} change={change} fault={fault} />;
  return (
    <Field label={label} hint={hint} error={error}>
      <Editor shape={shape} typed={typed} change={change} standard={standard} />
    </Field>
  );
}

function useAbout({ name }: SettingField): string {
  return useWords(aboutSettings)[name] ?? name;
}

interface NumbersProps extends SettingProps {
  readonly label: ReactNode;
  readonly hint: string;
}

/** A setting of several numbers, each with its own default. */
function Numbers({ field, label, hint, typed, change, fault }: NumbersProps): ReactNode {
  const t = useWords(settingsWords);
  const about = useWords(aboutParts);
  const standard = typedParts(typedOf("numbers", field.default));
  const values = typedParts(typed);
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="text-sm font-medium">{label}</legend>
      <p className="text-sm text-mute">{hint}</p>
      <div className="grid items-end gap-4 sm:grid-cols-3">
        {partsOf(field.schema).map((part) => (
          <Field
            key={part}
            label={about[part] ?? part}
            hint={t.byDefault(String(standard[part] ?? t.nothing))}
          >
            <Input
              inputMode="numeric"
              value={values[part] ?? ""}
              onChange={(event) => change(withPart(typed, part, event.target.value))}
            />
          </Field>
        ))}
      </div>
      {fault !== undefined && (
        <p className="text-sm text-bad">
          <Said error={fault} beside />
        </p>
      )}
    </fieldset>
  );
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
      return <Input type="number" value={typed} onChange={(event) => change(event.target.value)} />;
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
