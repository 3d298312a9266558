import { type FormEvent, type ReactNode, useState } from "react";
import type { SettingsAnswer, SettingsChange } from "../../../../src/console/settings/contract.ts";
import { ApiError } from "../../api/api-error.ts";
import { write } from "../../api/client.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button } from "../../parts/button.tsx";
import { Failed } from "../../parts/failure.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { Setting } from "./setting.tsx";
import { isSound, readTyped, shapeOf, typedOf } from "./values.ts";
import { settingsWords } from "./words.ts";

/** Every setting, to be changed together: what is left empty has its default. */
export function Behaviour({ settings }: { readonly settings: SettingsAnswer }): ReactNode {
  const t = useWords(settingsWords);
  const { fields } = settings;
  const [typed, setTyped] = useState(() => typedFields(settings));
  const save = useWrite(
    (body: SettingsChange) => write<SettingsAnswer>("PUT", "/operator/settings", body),
    (saved) => {
      toast(t.saved);
      setTyped(typedFields(saved));
    },
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!fields.every(({ name, schema }) => isSound(shapeOf(schema), typed[name] ?? ""))) return;
    const values = fields.map(({ name, schema }) => [name, readTyped(shapeOf(schema), typed[name] ?? "")]);
    save.mutate({ given: Object.fromEntries(values.filter(([, value]) => value !== undefined)) });
  };
  return (
    <form className="flex max-w-3xl flex-col gap-6" onSubmit={submit}>
      {settings.applies_file && <p className="border-l-2 border-warn pl-4">{t.overruled}</p>}
      {fields.map((field) => (
        <Setting
          key={field.name}
          field={field}
          typed={typed[field.name] ?? ""}
          change={(text) => setTyped({ ...typed, [field.name]: text })}
          fault={faultWithin(save.error, field.name)}
        />
      ))}
      {save.error && <Failed error={save.error} />}
      <div>
        <Button look="primary" type="submit" busy={save.isPending}>
          {t.save}
        </Button>
      </div>
    </form>
  );
}

function typedFields({ fields, given }: SettingsAnswer): Readonly<Record<string, string>> {
  return Object.fromEntries(fields.map(({ name, schema }) => [name, typedOf(shapeOf(schema), given[name])]));
}

/** The fault of a setting or of something within it: `queues.balance_waiting` is a fault of queues. */
function faultWithin(error: unknown, name: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.param.split(/[.[]/, 1)[0] === name ? error.message : undefined;
}
