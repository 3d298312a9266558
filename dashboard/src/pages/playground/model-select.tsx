import type { ReactNode } from "react";
import { useSearch } from "../../api/search.ts";
import { Field, Select } from "../../parts/field.tsx";
import { useWords } from "../../words/use-words.ts";
import { playgroundWords } from "./words.ts";

interface ModelSelectProps {
  readonly models: readonly { readonly id: string }[];
  readonly value: string;
}

/** Chooses the model that the URL names. */
export function ModelSelect({ models, value }: ModelSelectProps): ReactNode {
  const t = useWords(playgroundWords);
  const [, change] = useSearch();
  return (
    <Field label={t.model}>
      <Select value={value} onChange={(event) => change({ model: event.target.value }, { replace: true })}>
        {models.map(({ id }) => (
          <option key={id} value={id}>
            {id}
          </option>
        ))}
      </Select>
    </Field>
  );
}
