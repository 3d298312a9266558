import { MASKED } from "../../catalog/upstream-options.ts";
import { ItemError } from "../../manifest/file/read-item.ts";
import { credentialText, partsOf } from "../../upstreams/credentials/credential-forms.ts";
import { kindOf } from "../../upstreams/kinds.ts";

/** A credential as a form sends it: a key, or fields. */
export interface SentCredential {
  readonly secret?: string | undefined;
  readonly fields?: Readonly<Record<string, string>> | undefined;
}

/** A problem of the upstream's rules with one of its credentials, by the field of the form that sent it. */
export function asSent(error: unknown, index: number, { fields }: SentCredential): unknown {
  if (!(error instanceof ItemError)) return error;
  return error.under((path) => {
    const [, place, field] = /^(?:credentials|api_keys)\[(\d+)\](?:\.(\w+))?$/.exec(path) ?? [];
    if (place !== String(index)) return path;
    if (fields === undefined) return "secret";
    return field === undefined ? "fields" : `fields.${field}`;
  });
}

/** The text that is sealed, with what is kept of the credential before; undefined = nothing was sent. Throws ItemError. */
export function sentText(
  kind: string,
  { secret, fields }: SentCredential,
  before?: string,
): string | undefined {
  if (secret !== undefined && fields !== undefined)
    throw new ItemError("fields", "can't be sent beside secret");
  if (fields === undefined) return secret;
  if (kindOf(kind)?.credentialForms === undefined)
    throw new ItemError("fields", `isn't used by kind ${kind}; send secret`);
  const known = before === undefined ? {} : partsOf(before);
  const parts = Object.entries(fields).map(([name, value]): [string, string] => {
    const kept = value === MASKED ? known[name] : value;
    if (kept === undefined) throw new ItemError(`fields.${name}`, "has no stored value to keep; write it");
    return [name, kept];
  });
  return credentialText(Object.fromEntries(parts));
}
