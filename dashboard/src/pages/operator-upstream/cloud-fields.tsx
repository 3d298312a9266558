import type { ReactNode } from "react";
import type { Kinds } from "../../../../src/console/upstreams/contract.ts";
import { faultOf } from "../../api/api-error.ts";
import { Field, Input, Select, Textarea } from "../../parts/field.tsx";
import { useWords } from "../../words/use-words.ts";
import { useCredentialWords } from "./credential-words.ts";
import { PLACE_NAMES, type UpstreamDraft } from "./draft.ts";
import { upstreamWords } from "./words.ts";

type Kind = Kinds["data"][number];
export type CredentialForm = Kind["credential_forms"][number];
export type CredentialParts = Readonly<Record<string, string>>;

interface CredentialFieldsProps {
  readonly forms: readonly CredentialForm[];
  readonly parts: CredentialParts;
  readonly change: (parts: CredentialParts) => void;
  readonly required: boolean;
  readonly error: unknown;
}

/** The fields of one credential, by the form that is chosen for it. */
export function CredentialFields({
  forms,
  parts,
  change,
  required,
  error,
}: CredentialFieldsProps): ReactNode {
  const t = useWords(upstreamWords);
  const { formName, fieldWord } = useCredentialWords();
  const form = formOf(forms, parts);
  return (
    <>
      <Field label={t.credentialForm} hint={t.credentialFormHint} error={faultOf(error, "fields")}>
        <Select
          value={form?.name}
          onChange={(event) => change(emptyParts(forms.find(({ name }) => name === event.target.value)))}
        >
          {forms.map(({ name }) => (
            <option key={name} value={name}>
              {formName(name)}
            </option>
          ))}
        </Select>
      </Field>
      {form?.fields.map((field) => (
        <Field
          key={field.name}
          label={fieldWord(form, field).title}
          hint={fieldWord(form, field).help || undefined}
          error={faultOf(error, `fields.${field.name}`) ?? faultOf(error, `credentials[0].${field.name}`)}
        >
          {isLong(field.name) ? (
            <Textarea
              rows={4}
              required={required && field.required}
              value={parts[field.name] ?? ""}
              onChange={(event) => change({ ...parts, [field.name]: event.target.value })}
            />
          ) : (
            <Input
              type={field.secret ? "password" : "text"}
              autoComplete="off"
              required={required && field.required}
              value={parts[field.name] ?? ""}
              onChange={(event) => change({ ...parts, [field.name]: event.target.value })}
            />
          )}
        </Field>
      ))}
    </>
  );
}

/** Documents of several lines. */
function isLong(field: string): boolean {
  return ["certificate", "service_account", "external_account"].includes(field);
}

/** The form that the fields were begun by; by default the first. */
function formOf(forms: readonly CredentialForm[], parts: CredentialParts): CredentialForm | undefined {
  const names = Object.keys(parts).filter((name) => name !== "from");
  const fitting = forms.filter(
    (form) =>
      (form.from ?? undefined) === parts["from"] &&
      names.every((name) => form.fields.some((field) => field.name === name)),
  );
  return names.length === 0 && parts["from"] === undefined ? forms[0] : fitting[0];
}

function emptyParts(form: CredentialForm | undefined): CredentialParts {
  if (form === undefined) return {};
  const fields = form.fields.filter(({ required }) => required).map(({ name }) => [name, ""] as const);
  return { ...Object.fromEntries(fields), ...(form.from === null ? {} : { from: form.from }) };
}

/** Where in a cloud the upstream is, as far as its kind asks. */
export function PlaceFields({
  kind,
  draft,
  change,
  error,
}: {
  readonly kind: Kind | undefined;
  readonly draft: UpstreamDraft;
  readonly change: (values: Partial<UpstreamDraft>) => void;
  readonly error: unknown;
}): ReactNode {
  const t = useWords(upstreamWords);
  const asked = PLACE_NAMES.flatMap((name) => kind?.places.find((place) => place.name === name) ?? []);
  if (asked.length === 0) return null;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {PLACE_NAMES.filter((name) => asked.some((place) => place.name === name)).map((name) => (
        <Field key={name} label={t.place[name]} hint={t.placeHint[name]} error={faultOf(error, name)}>
          <Input
            required={asked.some((place) => place.name === name && place.required)}
            value={draft.place[name]}
            onChange={(event) => change({ place: { ...draft.place, [name]: event.target.value } })}
          />
        </Field>
      ))}
    </div>
  );
}
