import { type ReactNode, useId } from "react";
import { useRead } from "../../api/use-read.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { Field, Input } from "../../parts/field.tsx";
import { useWords } from "../../words/use-words.ts";
import type { UpstreamDraft } from "./draft.ts";
import { upstreamWords } from "./words.ts";

interface ModelFieldsProps {
  readonly models: UpstreamDraft["models"];
  readonly change: (models: UpstreamDraft["models"]) => void;
}

/** Which models an upstream has, and what it calls them. */
export function ModelFields({ models, change }: ModelFieldsProps): ReactNode {
  const t = useWords(upstreamWords);
  const { data: known } = useRead("/operator/models");
  const listId = useId();
  const set = (place: number, pair: UpstreamDraft["models"][number]) =>
    change(models.map((each, index) => (index === place ? pair : each)));
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="text-sm font-medium">{t.models}</legend>
      <p className="text-sm text-mute">{t.modelsHint}</p>
      <datalist id={listId}>
        {known?.data.map(({ id }) => (
          <option key={id} value={id} />
        ))}
      </datalist>
      {models.map(([ours, theirs], index) => (
        <div key={index} className="grid grid-cols-[1fr_1fr_2rem] items-end gap-2">
          <Field label={t.ours} quiet>
            <Input
              list={listId}
              placeholder={t.ours}
              value={ours}
              onChange={(event) => set(index, [event.target.value, theirs])}
            />
          </Field>
          <Field label={t.theirs} quiet>
            <Input
              placeholder={ours || t.theirs}
              value={theirs}
              onChange={(event) => set(index, [ours, event.target.value])}
            />
          </Field>
          <IconButton
            icon="close"
            label={t.removeModel(ours || String(index + 1))}
            onClick={() => change(models.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <div>
        <Button icon="plus" onClick={() => change([...models, ["", ""]])}>
          {t.addModel}
        </Button>
      </div>
    </fieldset>
  );
}
