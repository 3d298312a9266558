import { appendAll } from "../../base/append-all.ts";
import { MASKED } from "../../catalog/upstream-options.ts";
import { type FieldCheck, keyAlone, keyText } from "./field-checks.ts";

/** One way to prove to a vendor who asks: the named fields that such a credential is made of. */
export interface CredentialForm {
  /** Name for people. */
  readonly name: string;
  /** The word under `from` that chooses it; absent = its required fields do. */
  readonly from?: string;
  readonly fields: Readonly<Record<string, CredentialField>>;
}

interface CredentialField {
  readonly about: string;
  /** Nobody is shown it; others name the operator's account and are shown to operators alone. */
  readonly isSecret?: true;
  readonly isRequired?: true;
  /** Absent = it is a word that headers can carry. */
  readonly check?: FieldCheck;
}

/** A credential of several fields, by their names. */
export type CredentialParts = Readonly<Record<string, string>>;

/** The field of a credential that is one key and nothing else. */
export const PLAIN_KEY = "api_key";

/** The fields of a sealed credential: of a plain key, that alone. */
export function partsOf(secret: string): CredentialParts {
  const parts = documentIn(secret);
  return Object.keys(parts).length === 0 ? { [PLAIN_KEY]: secret } : (parts as CredentialParts);
}

/** The text that is sealed: a plain key as it is, else the fields in the order of their names, so that equal ones are equal texts. */
export function credentialText(parts: CredentialParts): string {
  if (isPlainKey(parts)) return parts[PLAIN_KEY] ?? "";
  const names = Object.keys(parts).sort();
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, parts[name]])));
}

/** The variables that fields were taken from, as one text; of a plain key, the name alone. null = none were. */
export function referenceText(parts: CredentialParts, variables: ReadonlyMap<string, string>): string | null {
  if (variables.size === 0) return null;
  if (isPlainKey(parts)) return variables.get(PLAIN_KEY) ?? null;
  return [...variables].map(([field, name]) => `${field}=${name}`).join(" ");
}

/** The variable that a field was taken from, of what referenceText() gave. */
export function referenceOfField(
  parts: CredentialParts,
  reference: string | null,
  field: string,
): string | null {
  if (isPlainKey(parts)) return reference;
  const pairs = (reference ?? "").split(" ").map((pair) => pair.split("="));
  return pairs.find(([name]) => name === field)?.[1] ?? null;
}

/** True if it is one key and nothing else. */
export function isPlainKey(parts: CredentialParts): boolean {
  return Object.keys(parts).every((field) => field === PLAIN_KEY);
}

/** The form of these fields; undefined = they are none of these. */
export function formOf(forms: readonly CredentialForm[], parts: CredentialParts): CredentialForm | undefined {
  return forms.find((form) => problemsIn(form, parts).length === 0);
}

/** Faults of a credential by field; "" = the credential as a whole. */
export function formProblems(
  forms: readonly CredentialForm[],
  parts: CredentialParts,
): { readonly field: string; readonly message: string }[] {
  if (formOf(forms, parts) !== undefined) return [];
  const { from } = parts;
  const named = forms.filter((form) => form.from !== undefined);
  if (from !== undefined && !named.some((form) => form.from === from))
    return [{ field: "from", message: `must be one of ${named.map((form) => form.from).join(", ")}` }];
  const nearest = forms
    .filter((form) => form.from === from)
    .map((form) => ({ problems: problemsIn(form, parts), known: knownIn(form, parts) }))
    .sort((one, other) => other.known - one.known || one.problems.length - other.problems.length)[0];
  if (nearest !== undefined && nearest.known > 0) return nearest.problems;
  return [{ field: "", message: `must be one of: ${forms.map(described).join("; ")}` }];
}

/** Returns faults in the values of a credential with several fields that could never authorise a request. */
export function valueProblems(
  forms: readonly CredentialForm[],
  parts: CredentialParts,
): { readonly field: string; readonly message: string }[] {
  const { fields = {} } = formOf(forms, parts) ?? {};
  return Object.entries(parts).flatMap(([field, value]) => {
    const usual = field === PLAIN_KEY ? keyAlone : keyText;
    const message = (fields[field]?.check ?? usual)(value);
    return message === undefined ? [] : [{ field, message }];
  });
}

function problemsIn({ name, from, fields }: CredentialForm, parts: CredentialParts) {
  const unknown = Object.keys(parts).filter((field) => field !== "from" && fields[field] === undefined);
  const missing = Object.keys(fields).filter((field) => fields[field]?.isRequired && !parts[field]);
  const form = `${/^[aeiou]/.test(name) ? "an" : "a"} ${name}`;
  return [
    ...(parts["from"] === from ? [] : [{ field: "from", message: `doesn't belong to ${form}` }]),
    ...missing.map((field) => ({ field, message: `is required for ${form}` })),
    ...unknown.map((field) => ({ field, message: `doesn't belong to ${form}` })),
  ];
}

function knownIn({ from, fields }: CredentialForm, parts: CredentialParts): number {
  return Object.keys(parts).filter((field) => (field === "from" ? from !== undefined : field in fields))
    .length;
}

function described({ name, from, fields }: CredentialForm): string {
  const required = Object.keys(fields).filter((field) => fields[field]?.isRequired);
  const words = [...(from === undefined ? [] : [`from: ${from}`]), ...required];
  return `${name} (${words.join(", ")})`;
}

/** True if a field may be shown. One that no form has is taken for a secret. */
export function isSecretField(forms: readonly CredentialForm[], field: string): boolean {
  if (field === "from") return false;
  const known = forms.flatMap(({ fields }) => fields[field] ?? []);
  return known.length === 0 || known.some(({ isSecret }) => isSecret === true);
}

/** The fields as operators see them. */
export function maskedParts(forms: readonly CredentialForm[], secret: string): CredentialParts {
  return Object.fromEntries(
    Object.entries(partsOf(secret)).map(([field, value]) => [
      field,
      isSecretField(forms, field) ? MASKED : value,
    ]),
  );
}

/** Fields of JSON documents that vendors issue as credentials: those that prove something, and those that name an account. */
const SECRETS_IN_JSON = ["private_key", "private_key_id", "client_secret", "refresh_token"];
const NAMES_IN_JSON = ["client_email", "project_id", "client_id", "quota_project_id"];

/** The secrets in a credential of these forms, and what of the rest names the operator's own account. */
export function heldInParts(forms: readonly CredentialForm[]) {
  return (secret: string) => {
    const secrets: string[] = [];
    const names: string[] = [];
    for (const [field, value] of Object.entries(partsOf(secret))) {
      if (field === "from") continue;
      if (!isSecretField(forms, field)) {
        names.push(value);
        continue;
      }
      secrets.push(value);
      const document = documentIn(value);
      appendAll(secrets, textsOf(document, SECRETS_IN_JSON));
      appendAll(names, textsOf(document, NAMES_IN_JSON));
    }
    return { secrets, urls: [], names: names.filter((name) => name.length >= NAME_LETTERS) };
  };
}

/** A shorter word would be redacted where it means something else. */
const NAME_LETTERS = 6;

function documentIn(value: string): Readonly<Record<string, unknown>> {
  if (!value.trimStart().startsWith("{")) return {};
  try {
    return JSON.parse(value) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}

function textsOf(document: Readonly<Record<string, unknown>>, fields: readonly string[]): string[] {
  return fields.flatMap((field) => {
    const value = document[field];
    return typeof value === "string" ? [value] : [];
  });
}
