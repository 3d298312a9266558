import { type FormEvent, type ReactNode, useState } from "react";
import type { Capability } from "../../../../../src/console/models/contract.ts";
import { useSearch } from "../../../api/search.ts";
import { useSession } from "../../../api/session.ts";
import { useWrite } from "../../../api/use-write.ts";
import { Button } from "../../../parts/button.tsx";
import { Failed } from "../../../parts/failure.tsx";
import { useWords } from "../../../words/use-words.ts";
import { ShowCode } from "../code-dialog.tsx";
import { ModelSelect } from "../model-select.tsx";
import { readPublic } from "../public-api.ts";
import { mediaSnippets } from "../snippets.ts";
import { playgroundWords } from "../words.ts";
import { FieldInput } from "./field-input.tsx";
import { type FormField, formFields } from "./form-fields.ts";
import { Made } from "./made.tsx";
import { Price } from "./price.tsx";
import { type FormValues, isComplete, newItem, requestBody, withValue } from "./request-body.ts";

interface MediaFormProps {
  readonly account: string;
  readonly models: readonly Capability[];
  readonly initial: FormValues;
  /** Where the values come from. */
  readonly note?: string;
}

/** A form of a model's own fields, the price of what stands in it, and what was made with it. */
export function MediaForm({ account, models, initial, note }: MediaFormProps): ReactNode {
  const t = useWords(playgroundWords);
  const { public_url: origin } = useSession();
  const [search] = useSearch();
  const [values, setValues] = useState(initial);
  const [made, setMade] = useState<readonly string[]>([]);
  const model = models.find(({ id }) => id === search["model"]) ?? models[0];
  const fields = formFields(model?.request);
  const shown = withBeginnings(fields, values);
  const body = requestBody(model?.id ?? "", fields, shown);
  const ready = isComplete(fields, body);
  const submit = useWrite(
    (given: FormValues) => readPublic<{ id: string }>(account, model?.submit ?? "", { body: given }),
    ({ id }) => setMade((known) => [id, ...known]),
  );
  if (model === undefined) return null;
  const send = (event: FormEvent): void => {
    event.preventDefault();
    submit.mutate(body);
  };
  const read = model.medium === "image" ? "/v1/images/tasks/{id}" : "/v2/videos/generations/{id}";
  return (
    <div className="grid min-w-0 gap-8 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
      <form onSubmit={send} className="flex min-w-0 flex-col gap-5">
        {note !== undefined && <p className="text-mute">{note}</p>}
        <ModelSelect models={models} value={model.id} />
        {fields.map((field) => (
          <FieldInput
            key={`${model.id} ${field.name}`}
            field={field}
            value={shown[field.name]}
            onChange={(value) => setValues(withValue(shown, field.name, value))}
          />
        ))}
        <div className="sticky bottom-0 flex flex-col gap-3 border-t border-line bg-paper py-3">
          <Price account={account} submit={model.submit} body={body} ready={ready} />
          {submit.isError && <Failed error={submit.error} />}
          <div className="flex flex-wrap gap-2">
            <Button type="submit" look="primary" busy={submit.isPending} disabled={!ready}>
              {t.submit}
            </Button>
            <ShowCode snippets={() => mediaSnippets(origin, model.submit, read, body)} />
          </div>
        </div>
      </form>
      <Made account={account} ids={made} />
    </div>
  );
}

/** A list that needs an item begins with one to be filled in. */
function withBeginnings(fields: readonly FormField[], values: FormValues): FormValues {
  const begun = fields.flatMap((field) => {
    const [first] = field.kind === "items" ? field.variants : [];
    return field.required && first !== undefined ? [[field.name, [newItem(first)]] as const] : [];
  });
  return { ...Object.fromEntries(begun), ...values };
}
