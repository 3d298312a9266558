import type { ReactNode } from "react";
import { faultOf } from "../../api/api-error.ts";
import { Checkbox, Field, Input, Select, Textarea } from "../../parts/field.tsx";
import { useWords } from "../../words/use-words.ts";
import type { KeyDraft, Period } from "./terms.ts";
import { keysWords } from "./words.ts";

interface KeyFieldsProps {
  readonly draft: KeyDraft;
  readonly change: (values: Partial<KeyDraft>) => void;
  readonly error: unknown;
  /** The amount cannot be read. */
  readonly amountWrong: boolean;
  readonly isNew: boolean;
}

const PERIODS: readonly Period[] = ["day", "week", "month", "total"];

/** All that a key may be told, for a new one and for one that changes. */
export function KeyFields({ draft, change, error, amountWrong, isNew }: KeyFieldsProps): ReactNode {
  const t = useWords(keysWords);
  const count = (name: "requests" | "tokens" | "concurrency", label: string): ReactNode => (
    <Field label={label} hint={t.rateHint}>
      <Input
        type="number"
        min={1}
        step={1}
        value={draft[name]}
        onChange={(event) => change({ [name]: event.target.value })}
      />
    </Field>
  );
  return (
    <>
      <Field label={t.name} error={faultOf(error, "name")}>
        <Input
          value={draft.name}
          maxLength={200}
          required={!isNew}
          placeholder={isNew ? t.namePlaceholder : undefined}
          onChange={(event) => change({ name: event.target.value })}
        />
      </Field>
      <Field label={t.modelsField} hint={t.modelsHint} error={faultOf(error, "models")}>
        <Textarea
          rows={3}
          value={draft.models}
          spellCheck={false}
          className="font-mono text-sm"
          onChange={(event) => change({ models: event.target.value })}
        />
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label={t.amount}
          hint={t.amountHint}
          error={amountWrong ? t.amountWrong : faultOf(error, "spending_limit")}
        >
          <Input
            inputMode="decimal"
            value={draft.amount}
            onChange={(event) => change({ amount: event.target.value })}
          />
        </Field>
        <Field label={t.period}>
          <Select
            value={draft.period}
            disabled={draft.amount.trim() === ""}
            onChange={(event) => change({ period: event.target.value as Period })}
          >
            {PERIODS.map((period) => (
              <option key={period} value={period}>
                {t.periods[period]}
              </option>
            ))}
          </Select>
        </Field>
      </div>
      <div className="grid gap-4 sm:grid-cols-3">
        {count("requests", t.requestsField)}
        {count("tokens", t.tokensField)}
        {count("concurrency", t.concurrencyField)}
      </div>
      <Field label={t.expiryField} hint={t.expiryHint} error={faultOf(error, "expires_at")}>
        <Input
          type="date"
          value={draft.lastDay}
          className="sm:max-w-48"
          onChange={(event) => change({ lastDay: event.target.value })}
        />
      </Field>
      <Field label={t.addressesField} hint={t.addressesHint} error={faultOf(error, "allowed_addresses")}>
        <Textarea
          rows={2}
          value={draft.addresses}
          spellCheck={false}
          className="font-mono text-sm"
          onChange={(event) => change({ addresses: event.target.value })}
        />
      </Field>
      {!isNew && (
        <Checkbox
          label={t.disabledField}
          hint={t.disabledHint}
          checked={draft.disabled}
          onChange={(event) => change({ disabled: event.target.checked })}
        />
      )}
    </>
  );
}
