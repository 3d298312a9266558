import type { ReactNode } from "react";
import { faultOf } from "../../api/api-error.ts";
import { useRead } from "../../api/use-read.ts";
import { Field, Input, Select, Textarea } from "../../parts/field.tsx";
import { useEndpointName } from "../../words/endpoint-words.ts";
import { useWords } from "../../words/use-words.ts";
import { TickList } from "../operator-upstream/tick-list.tsx";
import { ComingPrices } from "./coming-prices.tsx";
import { FAMILIES, hasSoundQuirks, isAlias, type ModelDraft, TEXT_ENDPOINTS } from "./draft.ts";
import { PriceInputs } from "./price-inputs.tsx";
import { catalogWords } from "./words.ts";

interface FieldsProps {
  readonly draft: ModelDraft;
  readonly change: (values: Partial<ModelDraft>) => void;
  readonly isNew: boolean;
  readonly error: unknown;
}

/** Everything that is declared of a model but its price. */
export function ModelFields({ draft, change, isNew, error }: FieldsProps): ReactNode {
  const t = useWords(catalogWords);
  const endpointName = useEndpointName();
  const { data: groups } = useRead("/operator/groups");
  const isText = draft.family === "";
  const names = (
    <>
      {isNew && (
        <Field label={t.id} hint={t.idHint} error={faultOf(error, "id")}>
          <Input required value={draft.id} onChange={(event) => change({ id: event.target.value })} />
        </Field>
      )}
      <Field label={t.aliasOf} hint={t.aliasOfHint} error={faultOf(error, "alias_of")}>
        <Input value={draft.aliasOf} onChange={(event) => change({ aliasOf: event.target.value })} />
      </Field>
    </>
  );
  if (isAlias(draft)) return <div className="grid gap-4 sm:grid-cols-2">{names}</div>;
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        {names}
        <Field label={t.ownedBy} hint={t.ownedByHint} error={faultOf(error, "owned_by")}>
          <Input
            required
            value={draft.ownedBy}
            onChange={(event) => change({ ownedBy: event.target.value })}
          />
        </Field>
        <Field label={t.kind} error={faultOf(error, "family")}>
          <Select value={draft.family} onChange={(event) => change({ family: event.target.value })}>
            <option value="">{t.textModel}</option>
            {FAMILIES.map((family) => (
              <option key={family}>{family}</option>
            ))}
          </Select>
        </Field>
        {!isText && (
          <Field label={t.variant} hint={t.variantHint} error={faultOf(error, "variant")}>
            <Input value={draft.variant} onChange={(event) => change({ variant: event.target.value })} />
          </Field>
        )}
        {isText && <Bounds draft={draft} change={change} error={error} />}
      </div>
      {isText && (
        <TickList
          legend={t.endpoints}
          hint={t.endpointsHint}
          options={TEXT_ENDPOINTS}
          nameOf={endpointName}
          ticked={draft.endpoints}
          onChange={(endpoints) => change({ endpoints })}
        />
      )}
      {isText && (
        <Field label={t.fallbacks} hint={t.fallbacksHint} error={faultOf(error, "fallbacks")}>
          <Textarea
            rows={2}
            className="font-mono"
            value={draft.fallbacks}
            onChange={(event) => change({ fallbacks: event.target.value })}
          />
        </Field>
      )}
      {isText && (
        <Field label={t.order} hint={t.orderHint} error={faultOf(error, "order")}>
          <Select
            value={draft.order}
            onChange={(event) => change({ order: event.target.value as ModelDraft["order"] })}
          >
            <option value="">{t.orderByWeight}</option>
            <option value="latency">{t.orderByLatency}</option>
            <option value="cost">{t.orderByCost}</option>
          </Select>
        </Field>
      )}
      <TickList
        legend={t.groups}
        hint={draft.closed ? t.groupsClosed : t.groupsHint}
        options={groups?.data.map(({ name }) => name) ?? draft.groups}
        ticked={draft.groups}
        onChange={(ticked) => change({ groups: ticked })}
      />
    </>
  );
}

function Bounds({ draft, change, error }: Omit<FieldsProps, "isNew">): ReactNode {
  const t = useWords(catalogWords);
  return (
    <>
      <Field label={t.contextTokens} hint={t.boundsHint} error={faultOf(error, "context_tokens")}>
        <Input
          type="number"
          min="1"
          value={draft.contextTokens}
          onChange={(event) => change({ contextTokens: event.target.value })}
        />
      </Field>
      <Field label={t.maxOutputTokens} hint={t.boundsHint} error={faultOf(error, "max_output_tokens")}>
        <Input
          type="number"
          min="1"
          value={draft.maxOutputTokens}
          onChange={(event) => change({ maxOutputTokens: event.target.value })}
        />
      </Field>
    </>
  );
}

/** Its prices, and what is peculiar to it. */
export function PriceFields({ draft, change, error }: Omit<FieldsProps, "isNew">): ReactNode {
  const t = useWords(catalogWords);
  return (
    <>
      <fieldset className="flex flex-col gap-2">
        <legend className="text-sm font-medium">{t.price}</legend>
        <PriceInputs price={draft} family={draft.family} change={change} path="price" error={error} />
      </fieldset>
      <ComingPrices draft={draft} change={change} error={error} />
      <Field label={t.quirks} hint={t.quirksHint} error={hasSoundQuirks(draft) ? undefined : t.badQuirks}>
        <Textarea
          rows={2}
          className="font-mono"
          value={draft.quirks}
          onChange={(event) => change({ quirks: event.target.value })}
        />
      </Field>
    </>
  );
}
