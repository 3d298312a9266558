import type { ReactNode } from "react";
import type { Upstream } from "../../../../src/console/upstreams/contract.ts";
import { faultOf } from "../../api/api-error.ts";
import { useRead } from "../../api/use-read.ts";
import { Checkbox, Field, Input, Select, Textarea } from "../../parts/field.tsx";
import { useEndpointName } from "../../words/endpoint-words.ts";
import { useWords } from "../../words/use-words.ts";
import { CredentialFields, type CredentialForm, PlaceFields } from "./cloud-fields.tsx";
import { isMoved, TIMEOUT_NAMES, type UpstreamDraft } from "./draft.ts";
import { ModelFields } from "./model-fields.tsx";
import { OptionFields } from "./option-fields.tsx";
import { TickList } from "./tick-list.tsx";
import { upstreamWords } from "./words.ts";

interface FieldsProps {
  readonly draft: UpstreamDraft;
  readonly change: (values: Partial<UpstreamDraft>) => void;
  /** undefined = it is a new one. */
  readonly before: Upstream | undefined;
  readonly error: unknown;
}

/** The kind whose vendors are the presets. */
const PRESET_KIND = "openai-compatible";

/** Everything that is declared of an upstream. */
export function UpstreamFields({ draft, change, before, error }: FieldsProps): ReactNode {
  const t = useWords(upstreamWords);
  const { data: kinds } = useRead("/operator/kinds");
  const endpointName = useEndpointName();
  const { data: presets } = useRead("/operator/presets");
  const { data: groups } = useRead("/operator/groups");
  const kind = kinds?.data.find(({ name }) => name === draft.kind);
  const preset = presets?.data.find(({ name }) => name === draft.preset);
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        {before === undefined && (
          <Field label={t.name} hint={t.nameHint} error={faultOf(error, "name")}>
            <Input required value={draft.name} onChange={(event) => change({ name: event.target.value })} />
          </Field>
        )}
        <Field label={t.kind} hint={t.kindHint} error={faultOf(error, "kind")}>
          <Select
            value={draft.kind}
            onChange={(event) =>
              change({ kind: event.target.value, preset: "", protocols: [], apiKey: "", credential: {} })
            }
          >
            {(kinds?.data ?? [{ name: draft.kind }]).map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        </Field>
      </div>
      {draft.kind === PRESET_KIND && (
        <Field label={t.preset} hint={preset?.keys_url ?? t.presetHint} error={faultOf(error, "preset")}>
          <Select
            value={draft.preset}
            onChange={(event) => {
              const chosen = presets?.data.find(({ name }) => name === event.target.value);
              change({
                preset: event.target.value,
                baseUrl: chosen?.base_url ?? draft.baseUrl,
                protocols: [],
              });
            }}
          >
            <option value="">{t.presetNone}</option>
            {(presets?.data ?? [{ name: draft.preset }]).map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        </Field>
      )}
      <Field label={t.baseUrl} hint={t.baseUrlHint} error={faultOf(error, "base_url")}>
        <Input
          required={kind?.places.every(({ required }) => !required) ?? true}
          type="url"
          placeholder="https://api.vendor.example/v1"
          value={draft.baseUrl}
          onChange={(event) => change({ baseUrl: event.target.value })}
        />
      </Field>
      <PlaceFields kind={kind} draft={draft} change={change} error={error} />
      <ApiKey
        forms={kind?.credential_forms ?? []}
        draft={draft}
        change={change}
        before={before}
        error={error}
        needsKey={preset?.needs_key ?? kind?.needs_key ?? false}
      />
      <ModelFields models={draft.models} change={(models) => change({ models })} />
      <TickList
        legend={t.groups}
        hint={draft.closed ? t.groupsClosed : t.groupsHint}
        options={groups?.data.map(({ name }) => name) ?? draft.groups}
        ticked={draft.groups}
        onChange={(ticked) => change({ groups: ticked })}
      />
      {(kind?.possible_protocols.length ?? 0) > 0 && (
        <TickList
          legend={t.protocols}
          hint={t.protocolsHint}
          options={kind?.possible_protocols ?? []}
          nameOf={endpointName}
          ticked={draft.protocols}
          onChange={(ticked) => change({ protocols: ticked })}
        />
      )}
      <Numbers draft={draft} change={change} error={error} />
    </>
  );
}

function ApiKey({
  draft,
  change,
  before,
  error,
  needsKey,
  forms,
}: FieldsProps & { readonly needsKey: boolean; readonly forms: readonly CredentialForm[] }): ReactNode {
  const t = useWords(upstreamWords);
  const moved = isMoved(draft, before);
  if (before !== undefined && !moved) return null;
  if (forms.length > 0)
    return (
      <CredentialFields
        forms={forms}
        parts={draft.credential}
        change={(credential) => change({ credential })}
        required={needsKey || moved}
        error={error}
      />
    );
  const hint = moved ? t.apiKeyMoved : needsKey ? t.apiKeyHint : `${t.apiKeyNone}. ${t.apiKeyHint}`;
  const [fault] = ["api_key", "api_keys", "api_keys[0]"].flatMap((param) => faultOf(error, param) ?? []);
  return (
    <Field label={t.apiKey} hint={hint} error={fault}>
      <Input
        type="password"
        autoComplete="off"
        required={needsKey || moved}
        value={draft.apiKey}
        onChange={(event) => change({ apiKey: event.target.value })}
      />
    </Field>
  );
}

function Numbers({ draft, change, error }: Omit<FieldsProps, "before">): ReactNode {
  const t = useWords(upstreamWords);
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-3">
        <Field label={t.priority} hint={t.priorityHint} error={faultOf(error, "priority")}>
          <Input
            type="number"
            value={draft.priority}
            onChange={(event) => change({ priority: event.target.value })}
          />
        </Field>
        <Field label={t.weight} hint={t.weightHint} error={faultOf(error, "weight")}>
          <Input
            type="number"
            min="0"
            step="any"
            value={draft.weight}
            onChange={(event) => change({ weight: event.target.value })}
          />
        </Field>
        <Field
          label={t.maxConcurrency}
          hint={t.maxConcurrencyHint}
          error={faultOf(error, "limits.concurrency")}
        >
          <Input
            type="number"
            min="1"
            value={draft.maxConcurrency}
            onChange={(event) => change({ maxConcurrency: event.target.value })}
          />
        </Field>
        <Field
          label={t.requestsPerMinute}
          hint={t.perMinuteHint}
          error={faultOf(error, "limits.requests_per_minute")}
        >
          <Input
            type="number"
            min="1"
            value={draft.requestsPerMinute}
            onChange={(event) => change({ requestsPerMinute: event.target.value })}
          />
        </Field>
        <Field
          label={t.tokensPerMinute}
          hint={t.perMinuteHint}
          error={faultOf(error, "limits.tokens_per_minute")}
        >
          <Input
            type="number"
            min="1"
            value={draft.tokensPerMinute}
            onChange={(event) => change({ tokensPerMinute: event.target.value })}
          />
        </Field>
      </div>
      <Field label={t.sharedIds} hint={t.sharedIdsHint} error={faultOf(error, "shared_ids")}>
        <Textarea
          rows={2}
          value={draft.sharedIds}
          onChange={(event) => change({ sharedIds: event.target.value })}
        />
      </Field>
      <Field label={t.signer} hint={t.signerHint} error={faultOf(error, "signer")}>
        <Input value={draft.signer} onChange={(event) => change({ signer: event.target.value })} />
      </Field>
      <Field label={t.costFactor} hint={t.costFactorHint} error={faultOf(error, "cost")}>
        <Input
          inputMode="decimal"
          value={draft.costFactor}
          onChange={(event) => change({ costFactor: event.target.value })}
        />
      </Field>
      <Field label={t.unaskedTiers} hint={t.unaskedTiersHint} error={faultOf(error, "unasked_tiers")}>
        <Textarea
          rows={2}
          value={draft.unaskedTiers}
          onChange={(event) => change({ unaskedTiers: event.target.value })}
        />
      </Field>
      <Field label={t.region} hint={t.regionHint} error={faultOf(error, "region")}>
        <Input value={draft.region} onChange={(event) => change({ region: event.target.value })} />
      </Field>
      <Checkbox
        label={t.probe}
        hint={t.probeHint}
        checked={draft.probe}
        onChange={(event) => change({ probe: event.target.checked })}
      />
      <OptionFields draft={draft} change={change} error={error} />
      <details>
        <summary className="cursor-pointer font-medium">{t.timeouts}</summary>
        <p className="py-1 text-sm text-mute">{t.timeoutsHint}</p>
        <div className="grid gap-4 pt-2 sm:grid-cols-3">
          {TIMEOUT_NAMES.map((name) => (
            <Field key={name} label={t.timeout[name]} error={faultOf(error, `timeouts.${name}`)}>
              <Input
                type="number"
                min="1"
                value={draft.timeouts[name]}
                onChange={(event) => change({ timeouts: { ...draft.timeouts, [name]: event.target.value } })}
              />
            </Field>
          ))}
        </div>
      </details>
    </>
  );
}
