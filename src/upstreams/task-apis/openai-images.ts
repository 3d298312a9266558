import { definedFields } from "../../base/defined-fields.ts";
import { imageTypeOf } from "../../base/media-signatures.ts";
import type { ImageOrder } from "../../families/family.ts";
import { asObject } from "../../protocols/json.ts";
import { imageUsage } from "../../protocols/streams/image-usage.ts";
import type { TokenUsage } from "../../usage/usage.ts";
import { pixelsOf } from "./order-bodies.ts";
import { jsonOf, linkAt, textAt, valueAt } from "./poll.ts";
import { isSuccessful, type RefusalTable, readRefusal, refusalWithoutTask } from "./refusals.ts";
import {
  type SubmitAbout,
  type SubmitOutcome,
  type TaskApi,
  type TaskApiRequest,
  type TaskApiResponse,
  type TaskResult,
  wantImage,
} from "./task-api.ts";
import { jsonPost } from "./task-table.ts";

/** An image of a form, as a data URL. */
export interface FilePart {
  readonly field: string;
  /** Without its ending, which its type gives. */
  readonly name: string;
  readonly url: string;
}

export interface Form {
  readonly contentType: string;
  readonly body: Uint8Array;
}

const DATA_URL = /^data:(image\/([\w.+-]+))(?:;[a-z0-9=-]+)*;base64,/i;

/**
 * A form of texts and files (RFC 7578). The boundary is made of `seed`, which must be hard to guess for whoever
 * wrote the texts: none of them can then end a part. Throws RangeError for a file that is no base64 data URL.
 */
function multipart(texts: Readonly<Record<string, string>>, files: readonly FilePart[], seed: string): Form {
  const boundary = `faregate-${seed}`;
  const pieces: Uint8Array[] = [];
  const line = (text: string): void => void pieces.push(Buffer.from(`${text}\r\n`));
  for (const [name, text] of Object.entries(texts)) {
    line(`--${boundary}`);
    line(`content-disposition: form-data; name="${name}"\r\n`);
    line(text);
  }
  for (const { field, name, url } of files) {
    const head = DATA_URL.exec(url);
    if (head === null) throw new RangeError("a reference image was not fetched before it is sent as a file");
    const [prefix, type = "", subtype = ""] = head;
    line(`--${boundary}`);
    line(`content-disposition: form-data; name="${field}"; filename="${name}.${endingOf(subtype)}"`);
    line(`content-type: ${type.toLowerCase()}\r\n`);
    pieces.push(Buffer.from(url.slice(prefix.length), "base64"), Buffer.from("\r\n"));
  }
  line(`--${boundary}--`);
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: Buffer.concat(pieces) };
}

function endingOf(subtype: string): string {
  return subtype.toLowerCase() === "jpeg" ? "jpg" : subtype.toLowerCase().replace(/\+.*$/, "");
}

/** The format is stated in the request, so that nobody has to detect it. */
const FORMAT = "png";

const REFUSAL: RefusalTable = {
  code: ["error.code", "error.type"],
  message: ["error.message", "error", "message", "detail"],
  codes: {
    // Comes as a 429: the account there has no credit.
    insufficient_quota: "another",
    billing_hard_limit_reached: "another",
    model_not_found: "another",
    invalid_api_key: "another",
    // Comes as a 503: it takes nothing from us now. Of its other 5xx (server_error ...) none says so.
    slow_down: "later",
  },
};

const NO_IMAGE = "The vendor's response contains no image.";

const NOT_AN_IMAGE = "The vendor returned bytes that aren't an image.";

/**
 * OpenAI's own images: the response to the order is the image itself. With reference images the order is
 * a form of files, so links must have been fetched before. https://platform.openai.com/docs/api-reference/images
 */
export const openaiImages = imagesApi("openai-images", "");

/** The same at a resource of Microsoft's, whose deployments stand in `model`: https://learn.microsoft.com/azure/ai-foundry/openai/latest */
export const azureImages = imagesApi("azure-images", "/openai/v1");

function imagesApi(name: string, root: string): TaskApi {
  return {
    name,
    idempotent: false,
    wantsFiles: true,
    submit(order, about) {
      const image = wantImage(order, name);
      const { path, ...request } = image.images.length === 0 ? generation(image, about) : edit(image, about);
      return { ...request, path: root + path, responsesWithMedia: true };
    },
    readSubmit,
  };
}

function generation(order: ImageOrder, about: SubmitAbout): TaskApiRequest {
  return jsonPost("/images/generations", { ...fieldsOf(order, about), n: 1 });
}

function edit(order: ImageOrder, about: SubmitAbout): TaskApiRequest {
  const { body, contentType } = multipart(
    { ...fieldsOf(order, about), n: "1" },
    order.images.map((url, index) => ({ field: "image[]", name: `image-${index + 1}`, url })),
    about.taskId,
  );
  return { method: "POST", path: "/images/edits", headers: { "content-type": contentType }, body };
}

function fieldsOf(order: ImageOrder, { model }: SubmitAbout): Readonly<Record<string, string>> {
  return definedFields({
    model,
    prompt: order.prompt,
    size: pixelsOf(order),
    quality: order.quality ?? undefined,
    output_format: FORMAT,
  });
}

function readSubmit(told: TaskApiResponse): SubmitOutcome {
  const response = withoutEvents(told);
  const refusal = readRefusal(response, REFUSAL);
  if (!isSuccessful(response)) return refusal ?? { type: "unclear", reason: NO_IMAGE };
  const body = jsonOf(response);
  const list = valueAt(body, "data");
  const items = Array.isArray(list) ? (list as readonly unknown[]) : [];
  const usage = valueAt(body, "usage");
  // An error beside usage or images does not mean that nothing was made.
  if (refusal?.type === "refused" && items.length === 0 && asObject(usage) === undefined) return refusal;
  const outputs = items.flatMap((item) => {
    const url = linkAt(item, ["url"]) ?? inlineUrl(item);
    return url === undefined ? [] : [{ url }];
  });
  if (outputs.length > 0)
    return {
      type: "done",
      result: { outputs, usage, tokens: tokensOf(usage), imageTerms: imageTermsOf(body) },
    };
  if (items.some(inlined)) return { type: "failed", reason: NOT_AN_IMAGE };
  const said = refusalWithoutTask(response, REFUSAL) ?? refusal;
  if (said?.type === "refused") return { type: "refused", next: "fail", reason: said.reason };
  return said ?? imageless(body);
}

/** https://developers.openai.com/api/reference/resources/images/methods/generate, and in an event beside the image. */
function imageTermsOf(body: unknown): TaskResult["imageTerms"] {
  const size = textAt(body, ["size", "data.0.size"]);
  const quality = textAt(body, ["quality", "data.0.quality"]);
  return size === undefined && quality === undefined ? undefined : { size, quality };
}

/** undefined = none are stated, or impossible ones. */
function tokensOf(usage: unknown): TokenUsage | undefined {
  const counts = asObject(usage);
  if (counts === undefined) return undefined;
  const { tokens, hostile } = imageUsage(counts);
  return hostile.length === 0 && (tokens.imageOutput ?? 0) > 0 ? tokens : undefined;
}

/** The bytes as a data URL of the type that they are; undefined = there are none, or they are no image. */
function inlineUrl(item: unknown): string | undefined {
  const bytes = inlined(item);
  if (bytes === undefined || !/^[\w+/=-]+$/.test(bytes)) return undefined;
  const type = imageTypeOf(bytes);
  return type && `data:${type};base64,${bytes}`;
}

/** The image's bytes: base64, or a whole data URL, as relays of this interface write it, in the link's place too. */
function inlined(item: unknown): string | undefined {
  const bytes = textAt(item, ["b64_json"])?.replace(/\s+/g, "");
  const found = bytes ?? textAt(item, ["url"]);
  const head = /^data:[^,]{0,200};base64,/i.exec(found ?? "")?.[0];
  return head === undefined ? bytes : found?.slice(head.length);
}

/**
 * Relays that stream whatever they were asked answer with events; the finished image is in one of them, and so is an
 * error. As the plain response would hold it; events without either are left, and no response that anyone can read.
 */
function withoutEvents(response: TaskApiResponse): TaskApiResponse {
  if (!/^(event|data|id|retry)?:/.test(Buffer.from(response.body.subarray(0, 8)).toString("latin1")))
    return response;
  const events = new TextDecoder()
    .decode(response.body)
    .split(/\r?\n\r?\n|\r\r/)
    .flatMap((frame) => jsonOf({ ...response, body: dataOf(frame) }) ?? []);
  const done = events.filter((event) => /\.completed$/.test(textAt(event, ["type"]) ?? ""));
  const failed = events.find((event) => valueAt(event, "error") !== undefined);
  const last = done.at(-1);
  const plain = last === undefined ? failed : { data: done, usage: valueAt(last, "usage") };
  return plain === undefined ? response : { ...response, body: Buffer.from(JSON.stringify(plain)) };
}

/** The `data` lines of an event. */
function dataOf(frame: string): Uint8Array {
  const lines = frame.split(/\r?\n|\r/).filter((line) => line.startsWith("data:"));
  return Buffer.from(lines.map((line) => line.slice("data:".length)).join("\n"));
}

/** Its response is all that ever comes: whoever finds the list empty need not wait for more. */
function imageless(body: unknown): SubmitOutcome {
  const isList = typeof body === "object" && body !== null && Object.hasOwn(body, "data");
  return { type: isList ? "failed" : "unclear", reason: NO_IMAGE };
}
