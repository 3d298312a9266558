import type { FormEvent, ReactNode } from "react";
import type { SettingsResponse } from "../../../../src/console/settings/contract.ts";
import { ApiError } from "../../api/api-error.ts";
import { read, write } from "../../api/client.ts";
import { useEdit } from "../../api/use-edit.ts";
import { Button } from "../../parts/button.tsx";
import { Failed } from "../../parts/failure.tsx";
import { Meanwhile } from "../../parts/meanwhile.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { Setting } from "./setting.tsx";
import { isSound, readTyped, shapeOf, typedOf } from "./values.ts";
import { settingsWords } from "./words.ts";

const PATH = "/operator/settings";

/** Every setting, to be changed together: what is left empty has its default. */
export function Behaviour({ settings }: { readonly settings: SettingsResponse }): ReactNode {
  const t = useWords(settingsWords);
  const { fields } = settings;
  const edit = useEdit({
    shown: settings,
    draftOf: (shown) => typedFields(shown ?? settings),
    load: () => read(PATH),
    send: (typed, from) => {
      const values = fields.map(({ name, schema }) => [name, readTyped(shapeOf(schema), typed[name] ?? "")]);
      const overrides = Object.fromEntries(values.filter(([, value]) => value !== undefined));
      return write("PUT", PATH, { overrides }, from?.revision);
    },
    done: () => toast(t.saved),
  });
  const { draft: typed, error } = edit;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (fields.every(({ name, schema }) => isSound(shapeOf(schema), typed[name] ?? ""))) edit.save();
  };
  return (
    <form className="flex max-w-3xl flex-col gap-6" onSubmit={submit}>
      {settings.applies_file && <p className="border-l-2 border-warn pl-4">{t.overruled}</p>}
      {fields.map((field) => (
        <Setting
          key={field.name}
          field={field}
          typed={typed[field.name] ?? ""}
          change={(text) => edit.change({ [field.name]: text })}
          fault={faultWithin(error, field.name)}
        />
      ))}
      <Meanwhile edit={edit} names={Object.fromEntries(fields.map(({ name }) => [name, name]))} />
      {error != null && <Failed error={error} />}
      <div>
        <Button look="primary" type="submit" busy={edit.busy}>
          {t.save}
        </Button>
      </div>
    </form>
  );
}

function typedFields({ fields, overrides: given }: SettingsResponse): Readonly<Record<string, string>> {
  return Object.fromEntries(fields.map(({ name, schema }) => [name, typedOf(shapeOf(schema), given[name])]));
}

/** The fault of a setting or of something within it: `queues.balance_waiting` is a fault of queues. */
function faultWithin(error: unknown, name: string): ApiError | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.param.split(/[.[]/, 1)[0] === name ? error : undefined;
}
