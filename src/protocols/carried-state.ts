import type { ErrorStatement } from "../errors.ts";

/** One place in a request where a vendor's own signed or encrypted state stands, in the form in which the vendor gave it. */
export interface StateRow {
  /** The path in the form that callers read: `[]` behind every array. */
  readonly path: string;
  /** The part that is removed with the state: its object, or only itself, which another word then replaces. */
  readonly removes: "object" | { readonly replacement: string };
  /** Only in objects of these types. */
  readonly types?: readonly string[] | undefined;
  /** Objects of these types are all that is left of a history: without them the request would be another. */
  readonly essential?: readonly string[] | undefined;
}

export interface StateTable {
  readonly rows: readonly StateRow[];
  /** A list at this path cannot be empty: the object that holds it goes with its last item. */
  readonly neverEmpty?: string | undefined;
  /** Its slots are base64, so that what the gateway wraps there is base64 once more. */
  readonly inBase64?: true | undefined;
  /** Forms of state that no vendor signed, and that none of them accepts. */
  readonly unsigned?: readonly Buffer[] | undefined;
  /**
   * The replacement for a field with a `type` of this word: vendors refuse it in a turn that calls tools but lacks its
   * reasoning.
   */
  readonly needsThoughts?:
    | { readonly field: string; readonly type: string; readonly replacement: string }
    | undefined;
}

/** A protocol that knows none. */
export const NO_CARRIED_STATE: StateTable = { rows: [] };

/** Vendors' words for state in a request that they cannot read; by code, else by message. */
const REFUSALS: readonly { readonly code?: string | undefined; readonly message?: RegExp | undefined }[] = [
  // https://github.com/openai/codex/issues/8145, .../8119
  { code: "invalid_encrypted_content" },
  { message: /\bencrypted[ _]content\b.*\b(?:could not be (?:verified|decrypted|parsed)|did not match)/i },
  // https://github.com/anthropics/anthropic-sdk-python/issues/1598: also where the block was changed, or made by another model
  { message: /\binvalid `?(?:signature|data)`? in `?(?:redacted_)?thinking`? block/i },
  // generateContent and the same models behind Vertex say it in three ways:
  // https://ai.google.dev/gemini-api/docs/thought-signatures
  {
    message:
      /\b(?:invalid|corrupted) thought[ _]?signature|\bthought[ _]?signature is (?:not valid|invalid)/i,
  },
];

/** True if a vendor refuses a request for nothing but the state that it carries, which another place may have made. */
export function refusesState({ status, code, message }: ErrorStatement): boolean {
  if (status < 400 || status > 499) return false;
  return REFUSALS.some((row) => row.code === code || row.message?.test(message) === true);
}
