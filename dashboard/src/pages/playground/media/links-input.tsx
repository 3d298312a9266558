import { type ReactNode, useRef } from "react";
import { Button, IconButton } from "../../../parts/button.tsx";
import { Field, Input } from "../../../parts/field.tsx";
import { toast } from "../../../parts/toast.tsx";
import { useWords } from "../../../words/use-words.ts";
import { dataUrlOf, MAX_FILE_BYTES } from "../read-file.ts";
import { playgroundWords } from "../words.ts";
import type { FormField } from "./form-fields.ts";

interface LinksInputProps {
  readonly field: Extract<FormField, { readonly kind: "links" }>;
  readonly value: unknown;
  readonly onChange: (value: readonly string[]) => void;
}

/** A list of addresses; where the field takes them, files of this device too. */
export function LinksInput({ field, value, onChange }: LinksInputProps): ReactNode {
  const t = useWords(playgroundWords);
  const links = Array.isArray(value) ? value.map(String) : [];
  const file = useRef<HTMLInputElement>(null);
  const put = (place: number, link: string): void =>
    onChange(links.map((each, at) => (at === place ? link : each)));
  const add = async (files: readonly File[]): Promise<void> => {
    const fitting = files.filter(({ size }) => size <= MAX_FILE_BYTES);
    for (const { name } of files.filter(({ size }) => size > MAX_FILE_BYTES)) toast(t.tooLarge(name));
    onChange([...links, ...(await Promise.all(fitting.map(dataUrlOf)))].slice(0, field.most));
  };
  return (
    <>
      {links.map((link, place) => (
        <div key={place} className="flex items-end gap-1">
          <div className="min-w-0 flex-1">
            <Field label={t.item(place + 1)} quiet>
              <Input
                type={link.startsWith("data:") ? "text" : "url"}
                placeholder="https://"
                disabled={link.startsWith("data:")}
                value={link.startsWith("data:") ? t.fileOf : link}
                onChange={(event) => put(place, event.target.value)}
              />
            </Field>
          </div>
          <IconButton
            icon="close"
            label={t.removeItem(place + 1)}
            onClick={() => onChange(links.filter((_, at) => at !== place))}
          />
        </div>
      ))}
      {links.length < field.most && (
        <div className="flex flex-wrap gap-2">
          <Button icon="plus" onClick={() => onChange([...links, ""])}>
            {t.addLink}
          </Button>
          {field.files && (
            <>
              <Button icon="plus" onClick={() => file.current?.click()}>
                {t.addFile}
              </Button>
              <input
                ref={file}
                type="file"
                accept="image/*"
                multiple
                hidden
                aria-label={t.addFile}
                onChange={(event) => {
                  void add([...(event.target.files ?? [])]);
                  event.target.value = "";
                }}
              />
            </>
          )}
        </div>
      )}
    </>
  );
}
