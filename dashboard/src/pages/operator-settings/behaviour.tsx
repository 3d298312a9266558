import type { FormEvent, ReactNode } from "react";
import type { SettingsResponse } from "../../../../src/console/settings/contract.ts";
import { read, write } from "../../api/client.ts";
import { useEdit } from "../../api/use-edit.ts";
import { Button } from "../../parts/button.tsx";
import { Failed } from "../../parts/failure.tsx";
import { Meanwhile } from "../../parts/meanwhile.tsx";
import { Reserved } from "../../parts/reserved.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { aboutSettings } from "./about-words.ts";
import { Setting } from "./setting.tsx";
import { cleaned, type Group } from "./values.ts";
import { settingsWords } from "./words.ts";

const PATH = "/operator/settings";

/** Every setting, to be changed together: what is left empty has its default. */
export function Behaviour({ settings }: { readonly settings: SettingsResponse }): ReactNode {
  const t = useWords(settingsWords);
  const about = useWords(aboutSettings);
  const { fields } = settings;
  const edit = useEdit({
    shown: settings,
    draftOf: (shown): Group => (shown ?? settings).overrides,
    load: () => read(PATH),
    send: (draft, from) => {
      const overrides = (cleaned(draft) ?? {}) as Record<string, unknown>;
      return write("PUT", PATH, { overrides }, from?.revision);
    },
    done: () => toast(t.saved),
  });
  const { draft, error } = edit;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    edit.save();
  };
  return (
    <form className="flex max-w-3xl flex-col gap-6" onSubmit={submit}>
      {settings.applies_file && <p className="border-l-2 border-warn pl-4">{t.overruled}</p>}
      {fields.map((field) => (
        <Setting
          key={field.name}
          field={field}
          value={draft[field.name]}
          change={(value) => edit.change({ [field.name]: value })}
          error={error}
        />
      ))}
      <Meanwhile
        edit={edit}
        names={Object.fromEntries(fields.map(({ name }) => [name, about[name]?.title ?? name]))}
      />
      {error != null && <Failed error={error} />}
      <div>
        <Reserved to="all">
          <Button look="primary" type="submit" busy={edit.busy}>
            {t.save}
          </Button>
        </Reserved>
      </div>
    </form>
  );
}
