import { notAnImage } from "../../conversation/media.ts";
import { isGenerating, type ProtocolName } from "../../conversation/protocol-name.ts";
import { failureIn } from "../../protocols/errors/verdict.ts";
import type { ResponseSummary, UsageReader } from "../../protocols/protocol.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import type { OnCall } from "../../protocols/translation.ts";
import { openSecretFilter } from "../../upstreams/scrub/sent-secrets.ts";
import type { TokenUsage } from "../../usage/usage.ts";
import { type VectorForm, writeVectors } from "../embeddings/vectors.ts";
import type { ReadResponse } from "./event-reader.ts";
import type { BodyRewrite, Framing } from "./framing.ts";
import {
  type ResponseConversion,
  readUpstreamResponse,
  writeClientResponse,
  writeNativeResponse,
} from "./response-conversion.ts";

/** Parameters for converting a complete response. They are plain data, because they are sent to a worker. */
export type WholeForm =
  | { readonly kind: "as-it-came" }
  /** Passed on with only the changes that its protocol requires. */
  | { readonly kind: "rewritten"; readonly client: ProtocolName }
  | ({ readonly kind: "vectors" } & VectorForm)
  /** Written anew; `own`: the upstream speaks the caller's protocol, in another framing. */
  | { readonly kind: "written"; readonly own: boolean; readonly conversion: ResponseConversion };

/** A form in which the gateway writes the usage itself. */
type CountedForm = Extract<WholeForm, { readonly kind: "written" | "vectors" }>;

export function statesUsage(form: WholeForm): form is CountedForm {
  return form.kind === "written" || (form.kind === "vectors" && form.form !== undefined);
}

/** The form with these tokens instead of those that the vendor states. */
export function withUsage(form: CountedForm, charged: TokenUsage): WholeForm {
  if (form.kind === "vectors") return { ...form, charged };
  return { ...form, conversion: { ...form.conversion, charged } };
}

/** The properties of a response that are known before it is read. */
export interface ResponseTerms {
  readonly client: ProtocolName;
  readonly framing: Framing;
  /** How many responses the caller asked for. */
  readonly responses: number;
  readonly form: WholeForm;
  /** The secrets that were sent to the upstream, which no caller may see. */
  readonly secrets: readonly string[];
}

/** The result of reading a response. */
export interface ResponseReading {
  readonly summary: ResponseSummary;
  /** False: its events ended before it did. */
  readonly finished: boolean;
  /** The caller's response; absent if the summary alone shows that there is none. */
  readonly passed?: BodyRewrite;
}

/** Reads a whole response and writes it as the caller asked. Throws NotAnImage and OversizedResponse. */
export function readWhole(
  { client, framing, responses, form, secrets }: ResponseTerms,
  usage: UsageReader,
  chunks: readonly Buffer[],
  onCall?: OnCall,
): ResponseReading {
  const [first] = chunks;
  const body = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
  const { summary, finished, write } =
    form.kind === "written"
      ? readToWrite(form, readUpstreamResponse(form.conversion, body, framing, responses), onCall)
      : readToPass(form, usage.readBytes(body), chunks);
  const isNone =
    summary.unreadable === true || !finished || failureIn(summary, isGenerating(client)) !== undefined;
  if (isNone) return { summary, finished };
  if (summary.notAnImage === true) throw notAnImage();
  return { summary, finished, passed: withoutSecrets(write(), secrets) };
}

function withoutSecrets(passed: BodyRewrite, secrets: readonly string[]): BodyRewrite {
  if ("error" in passed) return passed;
  return { ...passed, body: openSecretFilter(secrets).without(passed.body) };
}

function readToWrite(
  { own, conversion }: Extract<WholeForm, { readonly kind: "written" }>,
  read: ReadResponse,
  onCall: OnCall | undefined,
): Pick<ReadResponse, "summary" | "finished"> & { write(): BodyRewrite } {
  const { summary, finished } = read;
  const write = (): BodyRewrite =>
    own ? writeNativeResponse(conversion, read) : writeClientResponse(conversion, read, onCall);
  return { summary, finished, write };
}

/** A form in which the body is passed on. */
type PassedForm = Exclude<WholeForm, { readonly kind: "written" }>;

function readToPass(
  form: PassedForm,
  summary: ResponseSummary,
  chunks: readonly Buffer[],
): Pick<ReadResponse, "summary" | "finished"> & { write(): BodyRewrite } {
  return { summary, finished: true, write: () => pass(form, summary, chunks) };
}

function pass(form: PassedForm, { usage }: ResponseSummary, chunks: readonly Buffer[]): BodyRewrite {
  switch (form.kind) {
    case "as-it-came":
      return { body: chunks, losses: [] };
    case "rewritten":
      return { body: PROTOCOLS[form.client].rewrite?.whole(chunks) ?? chunks, losses: [] };
    case "vectors":
      return { body: writeVectors(form, chunks, usage?.tokens), losses: [] };
  }
}
