import type { BodyScan, FoundValue } from "../../base/json/json-scan.ts";
import { GatewayError } from "../../errors.ts";
import type { ForwardTable, Protocol } from "../../protocols/protocol.ts";

/** The fields of a request that the endpoint itself needs, read off the scan. */
export interface TextFields {
  readonly model: string;
  readonly streamed: boolean;
  /** The number of requested responses, 1 to 128; an invalid number counts as 1 here and the upstream refuses it. */
  readonly responses: number;
}

/**
 * Checks the listed top-level fields and reads model and stream, from the body or from the path.
 * Fields that are not listed are nobody's business here: they are passed on.
 */
export function readTextFields(
  protocol: Protocol,
  scan: BodyScan,
  path: { readonly model: string; readonly streamed: boolean } | undefined,
  { required, content }: Demands = protocol.forward,
): TextFields {
  const { forward } = protocol;
  const model = path?.model ?? modelOf(scan);
  if (model === "") {
    throw new GatewayError(
      "missing_model",
      "The request has no model. Set `model` to an id from /v1/models.",
      { param: "model" },
    );
  }
  checkTypes(forward, scan);
  checkRequired(required, scan);
  checkContent(content, scan);
  checkCounts(forward, scan);
  checkServed(forward, scan);
  return {
    model,
    streamed:
      path?.streamed ?? (Object.hasOwn(forward.fields, "stream") && scan.last("stream")?.value === true),
    responses: responsesOf(forward, scan),
  };
}

/** The end user whom the body names, in the first of the protocol's fields that does; undefined = none, or a name too long for an id. */
export function endUserOf({ forward }: Protocol, scan: BodyScan): string | undefined {
  for (const path of forward.endUser ?? []) {
    const found = scan.last(path)?.value;
    if (typeof found === "string" && found !== "") return found;
  }
  return undefined;
}

/** The required fields: the endpoint's own, if they are not the protocol's. */
type Demands = Pick<ForwardTable, "required" | "content">;

function modelOf(scan: BodyScan): string {
  const found = scan.last("model");
  if (isAbsent(found)) return "";
  if (found.type !== "string") throw invalid("model", "`model` must be a string.");
  // A longer name than any model has is not decoded; it names no model, which the look-up will say.
  return typeof found.value === "string" ? found.value : found.head;
}

function responsesOf(forward: ForwardTable, scan: BodyScan): number {
  let most = 1;
  for (const path of forward.responseCounts) {
    const asked = scan.last(path)?.value;
    if (typeof asked === "number") most = Math.max(most, asked);
  }
  return Number.isInteger(most) && most <= 128 ? most : 1;
}

function checkTypes(forward: ForwardTable, scan: BodyScan): void {
  // The loop goes over the body's fields, not the listed ones: most requests have a handful.
  for (const field of scan.present) {
    const types = Object.hasOwn(forward.fields, field) ? forward.fields[field] : undefined;
    if (types === undefined) continue;
    for (const found of scan.all(field)) {
      if (found.type !== "null" && !types.includes(found.type)) {
        throw invalid(
          field,
          `\`${field}\` must be ${types.map(named).join(" or ")}, not ${named(found.type)}.`,
        );
      }
    }
  }
}

function checkRequired(required: readonly string[], scan: BodyScan): void {
  for (const field of required) {
    if (isAbsent(scan.last(field))) throw invalid(field, `\`${field}\` is required.`);
  }
}

/** A request for a response to nothing is nobody's: vendors refuse it in words of their own, or write at random. */
function checkContent(content: ForwardTable["content"], scan: BodyScan): void {
  if (content === null || content.alternatives.some((field) => !isAbsent(scan.last(field)))) return;
  const { field, alternatives } = content;
  const found = scan.last(field);
  if (!isAbsent(found) && !(found.type === "array" && found.items === 0)) return;
  const others =
    alternatives.length === 0 ? "" : ` Without it, one of ${alternatives.join(", ")} is required.`;
  const what = isAbsent(found) ? "is required" : "is empty; there is nothing to respond to";
  throw invalid(field, `\`${field}\` ${what}.${others}`);
}

function checkCounts(forward: ForwardTable, scan: BodyScan): void {
  for (const field in forward.maxItems) {
    const found = scan.last(field);
    const most = forward.maxItems[field] ?? 0;
    if (found?.type === "array" && found.items > most)
      throw invalid(field, `\`${field}\` takes at most ${most} items.`);
  }
}

function checkServed({ unserved }: ForwardTable, scan: BodyScan): void {
  for (const field in unserved)
    if (scan.all(field).some(({ type, value }) => type !== "null" && value !== false))
      throw invalid(field, unserved[field] ?? "");
}

function isAbsent(found: FoundValue | undefined): found is undefined {
  return found === undefined || found.type === "null" || found.value === "";
}

function named(type: string): string {
  return type === "array" || type === "object" ? `an ${type}` : `a ${type}`;
}

function invalid(param: string, message: string): GatewayError {
  return new GatewayError("invalid_request", message, { param });
}
