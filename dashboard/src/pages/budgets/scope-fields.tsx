import type { ReactNode } from "react";
import { faultOf } from "../../api/api-error.ts";
import { useRead } from "../../api/use-read.ts";
import { type Choice, Chooser } from "../../parts/chooser.tsx";
import { Field, Select } from "../../parts/field.tsx";
import { useWords } from "../../words/use-words.ts";
import { budgetsWords } from "./words.ts";

/** Which requests a new budget is to count; null and "" = all. */
interface Scope {
  readonly user: Choice | null;
  readonly key: Choice | null;
  readonly model: string;
}

export const EVERYTHING: Scope = { user: null, key: null, model: "" };

interface ScopeFieldsProps {
  readonly account: string;
  readonly scope: Scope;
  readonly change: (values: Partial<Scope>) => void;
  readonly error: unknown;
}

/** What a new budget counts. */
export function ScopeFields({ account, scope, change, error }: ScopeFieldsProps): ReactNode {
  const t = useWords(budgetsWords);
  const models = useRead(`/accounts/${account}/models`);
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">{t.counts}</legend>
      <p className="text-sm text-mute">{t.countsHint}</p>
      <div className="grid gap-4 sm:grid-cols-3">
        <Field label={t.user} error={faultOf(error, "user")}>
          <Chooser
            path={`/accounts/${account}/members`}
            choiceOf={({ user_id: id, name, email }) => ({ id, name: name || email, note: email })}
            chosen={scope.user}
            onChoose={(user) => change({ user })}
            placeholder={t.anyUser}
          />
        </Field>
        <Field label={t.key} error={faultOf(error, "key")}>
          <Chooser
            path={`/accounts/${account}/keys`}
            choiceOf={({ id, name, hint }) => ({ id, name, note: hint })}
            chosen={scope.key}
            onChoose={(key) => change({ key })}
            placeholder={t.anyKey}
          />
        </Field>
        <Field label={t.model} error={faultOf(error, "model")}>
          <Select value={scope.model} onChange={(event) => change({ model: event.target.value })}>
            <option value="">{t.anyModel}</option>
            {(models.data?.data ?? []).map(({ id }) => (
              <option key={id} value={id}>
                {id}
              </option>
            ))}
          </Select>
        </Field>
      </div>
    </fieldset>
  );
}
