import { type ReactNode, useId } from "react";
import { Checkbox, Field, Input, Select, Textarea } from "../../../parts/field.tsx";
import { useLanguage } from "../../../words/language.ts";
import { useWords } from "../../../words/use-words.ts";
import { playgroundWords } from "../words.ts";
import { ABOUT_ZH } from "./about-fields.ts";
import type { FormField } from "./form-fields.ts";
import { ItemsInput } from "./items-input.tsx";
import { LinksInput } from "./links-input.tsx";
import { knownChoice } from "./request-body.ts";

interface FieldInputProps<Kind extends FormField["kind"] = FormField["kind"]> {
  readonly field: Extract<FormField, { readonly kind: Kind }>;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** One field of a request, whatever its kind. What is left out counts as its default. */
export function FieldInput({ field, value, onChange }: FieldInputProps): ReactNode {
  const hint = useAbout(field);
  const label = <Label field={field} />;
  switch (field.kind) {
    case "items":
      return (
        <Group
          label={label}
          hint={hint}
          input={<ItemsInput field={field} value={value} onChange={onChange} />}
        />
      );
    case "links":
      if (field.single) break;
      return (
        <Group
          label={label}
          hint={hint}
          input={<LinksInput field={field} value={value} onChange={onChange} />}
        />
      );
  }
  return (
    <Field label={label} hint={hint}>
      <PlainInput field={field} value={value} onChange={onChange} />
    </Field>
  );
}

function PlainInput({ field, value, onChange }: FieldInputProps): ReactNode {
  switch (field.kind) {
    case "text":
      return <Textarea value={textOf(value)} onChange={(event) => onChange(event.target.value)} />;
    case "choice":
      return <ChoiceInput field={field} value={value} onChange={onChange} />;
    case "whole":
      return <WholeInput field={field} value={value} onChange={onChange} />;
    case "flag":
      return <FlagInput field={field} value={value} onChange={onChange} />;
    default:
      return (
        <Input
          type="url"
          placeholder="https://"
          value={textOf(value)}
          onChange={(event) => onChange(event.target.value)}
        />
      );
  }
}

function ChoiceInput({ field, value, onChange }: FieldInputProps<"choice">): ReactNode {
  const t = useWords(playgroundWords);
  const listId = useId();
  const byDefault = useDefault(field);
  if (field.orLike === undefined) {
    return (
      <Select
        value={knownChoice(field.values, value) ?? ""}
        onChange={(event) => onChange(event.target.value)}
      >
        <option value="">{byDefault}</option>
        {field.values.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </Select>
    );
  }
  return (
    <>
      <Input
        list={listId}
        placeholder={`${byDefault}, ${t.orOwn}`}
        value={textOf(value)}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={listId}>
        {field.values.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </>
  );
}

function WholeInput({ field, value, onChange }: FieldInputProps<"whole">): ReactNode {
  const t = useWords(playgroundWords);
  const byDefault = useDefault(field);
  const isAlso = field.also !== undefined && value === field.also;
  return (
    <div className="flex flex-col gap-2">
      <Input
        type="number"
        min={field.least}
        max={field.most}
        step={1}
        placeholder={byDefault}
        disabled={isAlso}
        value={typeof value === "number" && !isAlso ? value : ""}
        onChange={(event) => onChange(event.target.value === "" ? undefined : Number(event.target.value))}
      />
      {field.also !== undefined && field.also < field.least && (
        <Checkbox
          label={t.modelDecides}
          checked={isAlso}
          onChange={(event) => onChange(event.target.checked ? field.also : undefined)}
        />
      )}
    </div>
  );
}

function FlagInput({ field, value, onChange }: FieldInputProps<"flag">): ReactNode {
  const t = useWords(playgroundWords);
  const byDefault = useDefault(field);
  return (
    <Select
      value={typeof value === "boolean" ? String(value) : ""}
      onChange={(event) => onChange(event.target.value === "" ? undefined : event.target.value === "true")}
    >
      <option value="">{byDefault}</option>
      <option value="true">{t.yes}</option>
      <option value="false">{t.no}</option>
    </Select>
  );
}

function Label({ field: { name, required } }: { readonly field: FormField }): ReactNode {
  const t = useWords(playgroundWords);
  return (
    <>
      <code className="font-mono">{name}</code>
      {required && <span className="font-normal text-mute"> · {t.required}</span>}
    </>
  );
}

interface GroupProps {
  readonly label: ReactNode;
  readonly hint: string;
  readonly input: ReactNode;
}

/** A field of several controls. */
function Group({ label, hint, input }: GroupProps): ReactNode {
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="pb-1 text-sm font-medium">{label}</legend>
      {input}
      <p className="text-sm text-mute">{hint}</p>
    </fieldset>
  );
}

/** What counts where the field is left out, in words; where it must not be, what it takes. */
function useDefault(field: FormField): string {
  const t = useWords(playgroundWords);
  const { byDefault, required } = field;
  if (byDefault !== undefined)
    return t.byDefault(typeof byDefault === "boolean" ? (byDefault ? t.yes : t.no) : String(byDefault));
  if (!required) return t.optional;
  return field.kind === "whole" ? t.range(field.least, field.most) : "";
}

function useAbout({ name, about }: FormField): string {
  const language = useLanguage();
  // The catalog's words are Markdown.
  return (language === "zh" ? ABOUT_ZH[name] : undefined) ?? about.replaceAll("`", "");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
