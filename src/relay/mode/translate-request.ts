import { withChanges } from "../../base/json/change-fields.ts";
import { parseExact, writeExact } from "../../base/json/exact-json.ts";
import type { Loss, RefusedField } from "../../conversation/loss.ts";
import { withEndUser } from "../../conversation/lower/end-user.ts";
import type { EncodeTarget, ResponsePlan } from "../../conversation/lower/plan.ts";
import type { ProtocolName } from "../../conversation/protocol-name.ts";
import type { ChatRequest, JsonObject } from "../../conversation/request.ts";
import type { Protocol } from "../../protocols/protocol.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import type { Translation } from "../../protocols/translation.ts";

/** A caller's request as it came. Plain data, like all here: it must reach a worker. */
export interface ReceivedRequest {
  readonly protocol: ProtocolName;
  /** Native endpoints name model and stream in the path, so they stand beside the body. */
  readonly model: string;
  readonly streamed: boolean;
  readonly body: Uint8Array;
  /** The gateway's own, for a request that states none. */
  readonly outputLimit?: number | undefined;
}

/** A request as it goes to an upstream, and what its response needs of it. */
export interface WrittenRequest {
  readonly body: Uint8Array<ArrayBuffer>;
  /** The bodies of all copies where they differ. */
  readonly separateBodies?: readonly Uint8Array[] | undefined;
  readonly losses: readonly Loss[];
  readonly plan: ResponsePlan;
  readonly includeUsage: boolean;
  readonly oneCall?: true | undefined;
  readonly echo: JsonObject;
}

/** Why a request cannot be served, naming the field. */
export interface TranslationRefusal {
  readonly path: string;
  readonly message: string;
  readonly details?: unknown;
}

export type Translated<T> = { readonly value: T } | { readonly refused: TranslationRefusal };

/** Reads a caller's body, known to be JSON, into the neutral form. */
export function decodeRequest(received: ReceivedRequest): Translated<ChatRequest> {
  const { protocol, model, streamed, body, outputLimit } = received;
  const outcome = translationOf(PROTOCOLS[protocol]).decodeRequest(parseExact(textOf(body)));
  if ("refused" in outcome) return refused(outcome.refused);
  const request = { ...outcome.value, model, stream: streamed };
  if (outputLimit === undefined) return { value: request };
  return { value: { ...request, limits: { ...request.limits, maxOutputTokens: outputLimit } } };
}

/** Writes it for an upstream. */
export function encodeRequest(request: ChatRequest, target: EncodeTarget): Translated<WrittenRequest> {
  const outcome = translationOf(PROTOCOLS[target.origin.protocol]).encodeRequest(request, target);
  if ("refused" in outcome) return refused(outcome.refused);
  const { body, losses, plan } = outcome.value;
  const { includeUsage, oneCall, echo } = request;
  return {
    value: {
      body: Buffer.from(writeExact(changed(body, target))),
      losses,
      plan,
      includeUsage,
      echo,
      oneCall,
    },
  };
}

/** The body as the upstream's options change it. */
function changed(body: JsonObject, { changes, endUser }: EncodeTarget): JsonObject {
  if (endUser !== undefined) return withEndUser(body, changes ?? {}, endUser);
  return changes === undefined ? body : withChanges(body, changes);
}

/** An error would lose its fields on the way between threads. */
function refused({ path, message, details }: RefusedField): { readonly refused: TranslationRefusal } {
  return { refused: { path, message, details } };
}

function textOf(body: Uint8Array): string {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8");
}

/** Translation of one of the four chat protocols. */
export function translationOf(protocol: Protocol): Translation {
  if (protocol.translation === undefined) throw new Error(`impossible: ${protocol.name} has no translation`);
  return protocol.translation;
}
