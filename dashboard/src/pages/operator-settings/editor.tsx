import type { ReactNode } from "react";
import { ApiError, faultOf } from "../../api/api-error.ts";
import { Button } from "../../parts/button.tsx";
import { Said } from "../../parts/failure.tsx";
import { Field, Input, Select, Textarea } from "../../parts/field.tsx";
import { useWords } from "../../words/use-words.ts";
import { aboutParts, choiceWords } from "./about-words.ts";
import {
  groupOf,
  kindsOf,
  listOf,
  partsOf,
  type Schema,
  shapeOf,
  typedNumber,
  variantParts,
  withPart,
} from "./values.ts";
import { settingsWords } from "./words.ts";

interface EditorProps {
  readonly schema: Schema;
  /** Finds the words: `sign_in.oidc.issuer`. */
  readonly name: string;
  /** Finds the fault: `sign_in.oidc[0].issuer`. */
  readonly at: string;
  readonly label: ReactNode;
  readonly help: string;
  /** undefined = not set. */
  readonly value: unknown;
  /** The value that applies if none is set. */
  readonly standard: unknown;
  readonly change: (value: unknown) => void;
  readonly error: unknown;
}

/** Settings whose default depends on something, which their text says. */
const SAYS_DEFAULT: ReadonlySet<string> = new Set(["foreign_ids"]);

/** The control of a setting or of a part of one, by its schema. */
export function Editor(props: EditorProps): ReactNode {
  switch (shapeOf(props.schema)) {
    case "group":
      return (
        <Frame {...props}>
          <Parts {...props} parts={partsOf(props.schema)} />
        </Frame>
      );
    case "list":
      return <List {...props} />;
    case "variants":
      return <Variants {...props} />;
    default:
      return <Scalar {...props} />;
  }
}

function Scalar(props: EditorProps): ReactNode {
  const { schema, name, at, label, help, value, standard, change, error } = props;
  const t = useWords(settingsWords);
  const shape = shapeOf(schema);
  const isOptional = standard === undefined || shape === "switch" || shape === "choice";
  const known = isOptional || SAYS_DEFAULT.has(name) ? "" : t.byDefault(textOf(standard) || t.nothing);
  const hint = [help, known, shape === "lines" ? t.oneALine : ""].filter(Boolean).join(" ");
  return (
    <Field label={label} hint={hint === "" ? undefined : hint} error={faultWithin(error, at)}>
      {shape === "switch" || shape === "choice" ? (
        <Choice schema={schema} name={name} value={value} standard={standard} change={change} />
      ) : shape === "lines" ? (
        <Textarea
          rows={Math.min(12, Math.max(2, listOf(value).length))}
          spellCheck={false}
          className="font-mono text-sm"
          value={listOf(value).join("\n")}
          onChange={(event) => change(lines(event.target.value))}
        />
      ) : (
        <Input
          spellCheck={false}
          inputMode={shape === "number" ? "numeric" : "text"}
          value={textOf(value)}
          onChange={(event) =>
            change(shape === "number" ? typedNumber(event.target.value) : event.target.value || undefined)
          }
        />
      )}
    </Field>
  );
}

function Choice({
  schema,
  name,
  value,
  standard,
  change,
}: Pick<EditorProps, "schema" | "name" | "value" | "standard" | "change">): ReactNode {
  const t = useWords(settingsWords);
  const words = useWords(choiceWords);
  const isSwitch = shapeOf(schema) === "switch";
  const wordOf = (option: unknown): string =>
    isSwitch ? (option === true ? t.on : t.off) : (words[`${name}.${option}`] ?? String(option));
  const isKnown = standard !== null && !(standard === undefined && !isSwitch);
  return (
    <Select
      value={textOf(value)}
      onChange={(event) => {
        const { value: chosen } = event.target;
        change(chosen === "" ? undefined : isSwitch ? chosen === "true" : chosen);
      }}
    >
      <option value="">{isKnown ? t.defaultIs(wordOf(standard)) : t.useDefault}</option>
      {(isSwitch ? ["true", "false"] : (schema.enum ?? [])).map((option) => (
        <option key={option} value={option}>
          {wordOf(isSwitch ? option === "true" : option)}
        </option>
      ))}
    </Select>
  );
}

/** A setting of several fields. */
function Frame({
  label,
  help,
  at,
  error,
  children,
}: Pick<EditorProps, "label" | "help" | "at" | "error"> & { readonly children: ReactNode }): ReactNode {
  const fault = faultOf(error, at);
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="text-sm font-medium">{label}</legend>
      {help !== "" && <p className="text-sm text-mute">{help}</p>}
      {children}
      {fault !== undefined && (
        <p className="text-sm text-bad">
          <Said error={fault} beside />
        </p>
      )}
    </fieldset>
  );
}

/** The fields of a group, numbers side by side. */
function Parts({
  parts,
  name,
  at,
  value,
  standard,
  change,
  error,
}: Omit<EditorProps, "schema" | "label" | "help"> & {
  readonly parts: readonly (readonly [name: string, schema: Schema])[];
}): ReactNode {
  const about = useWords(aboutParts);
  const isNumbers = parts.every(([, schema]) => shapeOf(schema) === "number");
  return (
    <div className={isNumbers ? "grid items-end gap-4 sm:grid-cols-3" : "flex flex-col gap-4"}>
      {parts.map(([part, schema]) => (
        <Editor
          key={part}
          schema={schema}
          name={`${name}.${part}`}
          at={`${at}.${part}`}
          label={about[`${name}.${part}`]?.title ?? part}
          help={about[`${name}.${part}`]?.help ?? ""}
          value={groupOf(value)[part]}
          standard={groupOf(standard)[part]}
          change={(inner) => change(withPart(value, part, inner))}
          error={error}
        />
      ))}
    </div>
  );
}

/** A setting of any number of groups, such as the identity providers. */
function List(props: EditorProps): ReactNode {
  const { schema, name, at, value, change, error } = props;
  const t = useWords(settingsWords);
  const items = listOf(value);
  const put = (next: readonly unknown[]) => change(next.length === 0 ? undefined : next);
  return (
    <Frame {...props}>
      {items.map((item, index) => (
        <fieldset key={index} className="flex min-w-0 flex-col gap-4 rounded-md border border-line p-4">
          <legend className="px-1 text-sm text-mute">{t.item(index + 1)}</legend>
          <Parts
            parts={partsOf(schema.items ?? {})}
            name={name}
            at={`${at}[${index}]`}
            value={item}
            standard={undefined}
            change={(changed) => put(items.map((each, place) => (place === index ? (changed ?? {}) : each)))}
            error={error}
          />
          <div>
            <Button
              aria-label={t.removeItem(index + 1)}
              onClick={() => put(items.filter((_, place) => place !== index))}
            >
              {t.remove}
            </Button>
          </div>
        </fieldset>
      ))}
      <div>
        <Button icon="plus" onClick={() => put([...items, {}])}>
          {t.add}
        </Button>
      </div>
    </Frame>
  );
}

/** A setting whose fields depend on its kind. */
function Variants(props: EditorProps): ReactNode {
  const { schema, name, at, value, standard, change, error } = props;
  const about = useWords(aboutParts);
  const { kind } = groupOf(value);
  const parts = variantParts(schema, kind);
  return (
    <Frame {...props}>
      <Field label={about[`${name}.kind`]?.title ?? name} error={faultOf(error, `${at}.kind`)}>
        <Choice
          schema={{ enum: kindsOf(schema) }}
          name={`${name}.kind`}
          value={kind}
          standard={groupOf(standard)["kind"]}
          change={(chosen) => {
            const kept = variantParts(schema, chosen).map(([part]) => [part, groupOf(value)[part]] as const);
            change(chosen === undefined ? undefined : Object.fromEntries([["kind", chosen], ...kept]));
          }}
        />
      </Field>
      {parts.length > 0 && (
        <Parts
          parts={parts}
          name={name}
          at={at}
          value={value}
          standard={undefined}
          change={change}
          error={error}
        />
      )}
    </Frame>
  );
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? "" : Array.isArray(value) ? value.join(", ") : String(value);
}

function lines(text: string): readonly string[] | undefined {
  return text === "" ? undefined : text.split("\n");
}

/** The fault of a field or of something within it: `egress_allow[2]` is a fault of egress_allow. */
function faultWithin(error: unknown, at: string): ApiError | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const { param } = error;
  return param === at || param.startsWith(`${at}[`) || param.startsWith(`${at}.`) ? error : undefined;
}
