import { hasSecret, secretFields } from "../../catalog/upstream-options.ts";
import {
  isSecretField,
  PLAIN_KEY,
  partsOf,
  referenceOfField,
} from "../../upstreams/credentials/credential-forms.ts";
import { kindOf } from "../../upstreams/kinds.ts";
import type { AccountState, State } from "../diff/state.ts";
import { escapeReferences } from "./references.ts";

/** Gives every secret of an export the name of an environment variable to come from. */
export interface ReferenceNames {
  /** `${NAME}` for a secret: under the name it was taken from, or one made of what it belongs to. */
  referTo(secret: ReferredSecret): string;
  /** The names given out, with what they stand for, sorted. */
  list(): readonly (readonly [name: string, meaning: string])[];
}

interface ReferredSecret {
  /** Tells secrets apart without showing them: the same identity gets the same name. */
  readonly identity: string;
  /** The variable from which the catalog file took it; null = it was written in clear, or came another way. */
  readonly known: string | null;
  /** The words of the name if there is none: ["upstream", "openai-main", "api key"]. */
  readonly words: readonly string[];
  readonly meaning: string;
}

export function createReferenceNames(): ReferenceNames {
  const taken = new Map<string, { readonly identity: string; readonly meaning: string }>();
  return {
    referTo({ identity, known, words, meaning }) {
      const base = known ?? variableName(words);
      let name = base;
      // Two secrets may have had one name at different times, or differ only in signs that a name cannot hold.
      for (let number = 2; taken.has(name) && taken.get(name)?.identity !== identity; number += 1)
        name = `${base}_${number}`;
      if (!taken.has(name)) taken.set(name, { identity, meaning });
      return `\${${name}}`;
    },
    list: () =>
      [...taken].map(([name, { meaning }]) => [name, meaning] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  };
}

/** References to an upstream's credentials, each by the fields that are secret. Named in the order of the export, which decides between equal names. */
export function referToCredentials(
  { name, kind, credentials }: State["upstreams"][number],
  names: ReferenceNames,
): ReadonlyMap<string, string>[] {
  const several = credentials.length > 1;
  return credentials.map(({ secret: sealed, reference }, index) => {
    const number = several ? [String(index + 1)] : [];
    const fields = secretsIn(kind, sealed).map(([field, secret]): [string, string] => [
      field,
      names.referTo({
        identity: `credential ${secret}`,
        known: referenceIn(kind, sealed, reference, field),
        words: ["upstream", name, field.replaceAll("_", " "), ...number],
        meaning: `${field === PLAIN_KEY ? "credential" : field} of upstream ${name}`,
      }),
    ]);
    return new Map(fields);
  });
}

/** The secret parts of a credential, by their fields; a credential of a kind other than clouds' is all secret. */
export function secretsIn(kind: string, sealed: string): [field: string, secret: string][] {
  const forms = kindOf(kind)?.credentialForms;
  if (forms === undefined) return [[PLAIN_KEY, sealed]];
  return Object.entries(partsOf(sealed)).filter(([field]) => isSecretField(forms, field));
}

/** The variable that a field of a credential was taken from. */
export function referenceIn(
  kind: string,
  sealed: string,
  reference: string | null,
  field: string,
): string | null {
  if (kindOf(kind)?.credentialForms === undefined) return reference;
  return referenceOfField(partsOf(sealed), reference, field);
}

/** A secret of its options as an export has it; one that needs no hiding stands as it is. */
export function referToOption(
  { name, options }: State["upstreams"][number],
  field: string,
  names: ReferenceNames,
): string | undefined {
  const secret = secretFields(options).get(field);
  if (secret === undefined) return undefined;
  if (field === "proxy" && !hasSecret(secret.value)) return escapeReferences(secret.value);
  return names.referTo({
    identity: `credential ${secret.value}`,
    known: secret.reference,
    words: ["upstream", name, field],
    meaning: `${field} of upstream ${name}`,
  });
}

/** The same for an account's key. */
export function referToKey(
  account: AccountState,
  { hash, reference, name, hint }: AccountState["keys"][number],
  names: ReferenceNames,
): string {
  return names.referTo({
    identity: `key ${hash}`,
    known: reference,
    words: ["key", account.name, name],
    meaning: `API key ${name} of account ${account.name} (${hint})`,
  });
}

/** The same for the token of monitors; `kept` is its hash. */
export function referToMetricsToken(kept: string, names: ReferenceNames): string {
  return names.referTo({
    identity: `metrics token ${kept}`,
    known: null,
    words: ["metrics token"],
    meaning: "settings.metrics_token, stored only as a hash",
  });
}

function variableName(words: readonly string[]): string {
  const text = words
    .join("_")
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, "_");
  return text.replace(/^_+|_+$/g, "").replace(/^(?=\d|$)/, "_");
}
