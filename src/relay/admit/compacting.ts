import type { Caller } from "../../accounts/caller.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import type { ProtocolName } from "../../conversation/protocol-name.ts";
import { GatewayError } from "../../errors.ts";
import { isUnknownModel } from "../../protocols/errors/error-patterns.ts";
import type { UpstreamError } from "../../protocols/errors/upstream-error-policy.ts";
import { compactsAt } from "../../upstreams/kinds.ts";
import type { AttemptFailure } from "../failures.ts";
import type { CompactionForm, TextRequest } from "../text-request.ts";
import { readReferences } from "./references.ts";

/** True if an upstream of the model may compact conversations itself. */
export function compactsItself(
  catalog: Catalog,
  { group }: Caller,
  { protocol, model }: { readonly protocol: ProtocolName; readonly model: unknown },
  form: CompactionForm,
): boolean {
  if (typeof model !== "string") return false;
  return catalog
    .serving(model, group, protocol)
    .some((upstream) => upstream.protocols.includes(protocol) && compactsAt({ protocol, upstream }, form));
}

/**
 * True if an upstream's error says that it does not support compaction: it has no such path, no such item, or not for
 * this model. Servers word this differently, and "not found" may also refer to the model or to something that the
 * request names.
 */
export function refusesToCompact(request: TextRequest, error: UpstreamError): boolean {
  const { compacts } = request;
  const { status, code, type, param, message, details } = error;
  if (compacts === undefined || !REFUSING.has(status)) return false;
  const said = [code, type, param, message, details === undefined ? "" : JSON.stringify(details)].join(" ");
  // If another item's type is refused, the fallback form would be refused too.
  if (compacts === "field")
    return OWN_WORDS.test(said) ? false : param === "compaction" || NO_FIELD.test(said);
  if (compacts === "item") return said.includes("compaction_trigger") || ITEM_TYPE.test(param);
  if (NO_PATH.has(status))
    return !(
      isUnknownModel(said) ||
      GONE.test(said) ||
      namesReference(request, said) ||
      error.fault === "rate-limit"
    );
  return UNSUPPORTED.test(said);
}

const REFUSING: ReadonlySet<number> = new Set([400, 404, 405, 422, 501]);
const NO_PATH: ReadonlySet<number> = new Set([404, 405, 501]);
const ITEM_TYPE = /\binput\b.*\btype$/;
/** A vendor that knows the field says what is wrong with its use: https://platform.claude.com/docs/en/build-with-claude/compaction-on-demand */
const OWN_WORDS = /\bcompaction_\w+|anthropic-beta/;
const NO_FIELD =
  /\bcompaction\b.{0,80}\b(?:extra inputs|not (?:permitted|supported|available|enabled|allowed)|unknown|unrecognized|unsupported)|\b(?:unknown|unexpected|unrecognized|unsupported|not support)\b.{0,80}\bcompaction\b/i;
const GONE = /previous_response_not_found/;
const UNSUPPORTED =
  /compact\w*\b.{0,80}\b(?:unsupported|not (?:supported|available|enabled|allowed))|\b(?:unsupported|not support)\b.{0,80}\bcompact/i;

function namesReference(request: TextRequest, said: string): boolean {
  return readReferences(request).ids.some(({ id }) => id !== undefined && said.includes(id));
}

/** The refusal of one that does not; it says nothing of the upstream's health. */
export function noCompaction(): AttemptFailure {
  return {
    retryable: true,
    timedOut: false,
    health: { kind: "neutral" },
    error: cannotCompact(),
    lacksCall: true,
  };
}

/** Tells the caller that no upstream can compact and no other form can be sent. */
export function cannotCompact(): GatewayError {
  return new GatewayError("invalid_request", "This upstream doesn't support compaction.");
}
