import { isRecord } from "../../base/json/record.ts";
import { privateKeyProblem } from "./certificate.ts";
import type { FieldCheck } from "./field-checks.ts";

/** The documents that Google Cloud gives out as credentials, with the fields that a token is asked for with. */
const FIELDS_BY_TYPE: Readonly<Record<string, readonly string[]>> = {
  service_account: ["client_email", "private_key_id", "private_key"],
  authorized_user: ["client_id", "client_secret", "refresh_token"],
  external_account: ["audience", "subject_token_type", "token_url", "credential_source"],
};

const WHOLE = "write the whole content of the file that Google Cloud gives out";

/** A credential of Google Cloud as a JSON document. */
export const googleDocumentCheck: FieldCheck = (text) => {
  const document = documentIn(text);
  if (document === undefined) return `is no JSON document; ${WHOLE}, and not its path`;
  const type = String(document["type"]);
  const fields = Object.hasOwn(FIELDS_BY_TYPE, type) ? FIELDS_BY_TYPE[type] : undefined;
  if (fields === undefined) return `must be of type ${Object.keys(FIELDS_BY_TYPE).join(", ")}; ${WHOLE}`;
  const missing = fields.find((field) => document[field] === undefined || document[field] === "");
  if (missing !== undefined) return `has no ${missing}; ${WHOLE}`;
  return type === "service_account"
    ? privateKeyProblem(String(document["private_key"]))
    : externalProblem(document);
};

function externalProblem({ token_url: url, credential_source: source }: Document): string | undefined {
  if (source === undefined) return undefined;
  if (!URL.canParse(String(url))) return `has a token_url that is no URL; ${WHOLE}`;
  const isKnown =
    isRecord(source) && (typeof source["file"] === "string" || typeof source["url"] === "string");
  return isKnown ? undefined : "has a credential_source that is neither a file nor a url; use one of these";
}

type Document = Readonly<Record<string, unknown>>;

function documentIn(text: string): Document | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
