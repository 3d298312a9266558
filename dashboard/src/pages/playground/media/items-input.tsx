import type { ReactNode } from "react";
import { Button, IconButton } from "../../../parts/button.tsx";
import { Checkbox, Field, Input, Select, Textarea } from "../../../parts/field.tsx";
import { useWords } from "../../../words/use-words.ts";
import { textAt } from "../json.ts";
import { playgroundWords } from "../words.ts";
import type { FormField, ItemInput, ItemVariant } from "./form-fields.ts";
import { newItem, setAt, variantOfItem } from "./request-body.ts";

interface ItemsInputProps {
  readonly field: Extract<FormField, { readonly kind: "items" }>;
  readonly value: unknown;
  readonly onChange: (value: readonly unknown[]) => void;
}

/** A list of objects: texts and materials, images with their purpose. */
export function ItemsInput({ field: { variants, most }, value, onChange }: ItemsInputProps): ReactNode {
  const t = useWords(playgroundWords);
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const [only] = variants;
  // There is nothing to say about such an item but that it is there.
  if (variants.length === 1 && only !== undefined && only.inputs.length === 0) {
    return (
      <Checkbox
        label={nameOf(only, t.kinds)}
        checked={items.length > 0}
        onChange={(event) => onChange(event.target.checked ? [newItem(only)] : [])}
      />
    );
  }
  return (
    <>
      {items.map((item, place) => (
        <Item
          key={place}
          item={item}
          number={place + 1}
          variant={variantOfItem(variants, item)}
          onChange={(changed) => onChange(items.map((each, at) => (at === place ? changed : each)))}
          onRemove={() => onChange(items.filter((_, at) => at !== place))}
        />
      ))}
      {items.length < most && (
        <div className="flex flex-wrap gap-2">
          {variants.map((variant) => (
            <Button
              key={nameOf(variant, t.kinds)}
              icon="plus"
              onClick={() => onChange([...items, newItem(variant)])}
            >
              {nameOf(variant, t.kinds) || t.add}
            </Button>
          ))}
        </div>
      )}
    </>
  );
}

interface ItemProps {
  readonly item: unknown;
  readonly number: number;
  readonly variant: ItemVariant | undefined;
  readonly onChange: (item: unknown) => void;
  readonly onRemove: () => void;
}

function Item({ item, number, variant, onChange, onRemove }: ItemProps): ReactNode {
  const t = useWords(playgroundWords);
  return (
    <div className="flex items-start gap-1 border-l-2 border-line pl-3">
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        {(variant?.inputs ?? []).map((input) => (
          <Field
            key={input.way.join(".")}
            label={`${variant === undefined ? "" : nameOf(variant, t.kinds)} ${number}: ${input.way.join(".")}`}
          >
            <ItemField
              input={input}
              value={textAt(item, ...input.way)}
              onChange={(text) =>
                onChange(setAt(item, input.way, text === "" && !input.required ? undefined : text))
              }
            />
          </Field>
        ))}
      </div>
      <IconButton icon="close" label={t.removeItem(number)} onClick={onRemove} />
    </div>
  );
}

interface ItemFieldProps {
  readonly input: ItemInput;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

function ItemField({ input: { way, values, required }, value, onChange }: ItemFieldProps): ReactNode {
  const t = useWords(playgroundWords);
  if (values.length > 0) {
    return (
      <Select value={value} onChange={(event) => onChange(event.target.value)}>
        {!required && <option value="">{t.optional}</option>}
        {values.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </Select>
    );
  }
  if (way.at(-1) === "text") {
    return <Textarea value={value} onChange={(event) => onChange(event.target.value)} />;
  }
  return (
    <Input
      placeholder="https://, asset://"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

/** What an item is, by its fixed word. */
function nameOf({ fixed }: ItemVariant, kinds: Readonly<Record<string, string>>): string {
  const [word = ""] = Object.values(fixed);
  return kinds[word] ?? word;
}
