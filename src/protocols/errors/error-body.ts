import { asArray, asObject, asText, type JsonObject, parseLoosely } from "../json.ts";

/** The words of an upstream's error, in one form for all; "" where it has none. */
export interface ErrorWords {
  readonly type: string;
  readonly code: string;
  readonly param: string;
  readonly message: string;
  readonly details: unknown;
  /** A status that the body itself states (streams have no other). */
  readonly status: number | undefined;
}

/** Reads the body of an error response: JSON of any vendor, a line of text, a page of HTML or nothing. */
export function readErrorBody(body: Uint8Array): ErrorWords {
  const text = new TextDecoder().decode(body.subarray(0, MAX_READ_BYTES)).trim();
  const parsed = parseLoosely(text);
  if (parsed !== undefined && typeof parsed !== "string") return readErrorValue(parsed);
  const line = typeof parsed === "string" ? parsed : text;
  return { ...SILENT, message: line.startsWith("<") ? "" : line.slice(0, MAX_MESSAGE) };
}

/**
 * Reads an error out of parsed JSON (rule 20): nested in `error`, `detail`, `errors` or even `message`, flat, a
 * bare string, or an array of one; codes may be numbers.
 */
export function readErrorValue(value: unknown, depth = 0): ErrorWords {
  const alone = Array.isArray(value) ? value[0] : value;
  const outer = asObject(alone);
  if (outer === undefined) return { ...SILENT, message: clip(asText(alone)) };
  const inner = outer["error"] ?? outer["errors"] ?? outer["detail"] ?? outer["base_resp"];
  const first = Array.isArray(inner) ? inner[0] : inner;
  // A word beside a message only names the status ("Bad Request").
  if (typeof first === "string") return withMessage(readFields(outer), first);
  const nested = asObject(first);
  const words = readFields(nested ?? outer);
  const within = (nested ?? outer)["message"] ?? nested;
  if (words.message === "" && typeof within === "object" && within !== null && depth < MAX_DEPTH) {
    const { message, param } = readErrorValue(within, depth + 1);
    return { ...words, message, param: words.param || param };
  }
  const path = asArray(nested?.["loc"]).filter((step) => step !== "body");
  return path.length === 0 ? words : { ...words, param: path.join(".") };
}

/** No object states an error without one of these words in its bytes, as a key or a value. */
export const ERROR_WORDS = ["error", "base_resp", "code", "detail"];

/** True if an object that came with a success status, or in a stream, is really an error. */
export function statesError(body: JsonObject): boolean {
  const error = body["error"];
  if ((typeof error === "string" && error !== "") || body["object"] === "error") return true;
  // One vendor tells every outcome so, 0 for success.
  const code = asObject(body["base_resp"])?.["status_code"];
  return asObject(error) !== undefined || (typeof code === "number" && code !== 0) || isBareError(body);
}

/**
 * True if an error stands bare in the place of a response: with a code, as DashScope's, by its type, or as
 * the `detail` of FastAPI, on which many servers are built. What holds a response is one.
 */
function isBareError(body: JsonObject): boolean {
  const { type, code, message, msg, detail } = body;
  const hasCode = typeof code === "number" || asText(code) !== "";
  const readsLikeOne =
    type === "error" ||
    asText(detail) !== "" ||
    asArray(detail).length > 0 ||
    (hasCode && !SUCCESS.test(String(code)) && (asText(message) !== "" || asText(msg) !== ""));
  return readsLikeOne && !holdsResponse(body);
}

/** True if anything is where the protocols have their responses. */
export function holdsResponse(body: JsonObject): boolean {
  return RESPONSES.some((field) => asArray(body[field]).length > 0);
}

const RESPONSES = ["choices", "output", "content", "candidates", "data", "results"];

/** Some tell every outcome by a code. */
const SUCCESS = /^(?:0+|2\d\d|ok|success)$/i;

function readFields(fields: JsonObject): ErrorWords {
  const number = fields["code"] ?? fields["status_code"] ?? fields["status"];
  return {
    type: firstText(fields["status"], fields["type"] === "error" ? "" : fields["type"]),
    code: codeOf(fields),
    param: word(fields["param"]),
    message: clip(
      firstText(
        fields["message"],
        fields["Message"],
        fields["msg"],
        fields["error_msg"],
        fields["status_msg"],
      ),
    ),
    details: fields["details"],
    status: typeof number === "number" && number >= 400 && number <= 599 ? number : undefined,
  };
}

/** A native error's code is the numeric status; this gateway's, where it is the upstream, have their own code as `reason`. */
function codeOf(fields: JsonObject): string {
  const code = fields["code"] ?? fields["status_code"];
  const reason = fields["reason"];
  return word(typeof code === "number" && typeof reason === "string" ? reason : code);
}

function withMessage(words: ErrorWords, message: string): ErrorWords {
  return words.message === "" ? { ...words, message: clip(message) } : words;
}

function firstText(...values: readonly unknown[]): string {
  return asText(values.find((value) => typeof value === "string" && value !== ""));
}

function word(value: unknown): string {
  return typeof value === "number" ? String(value) : clip(asText(value));
}

function clip(text: string): string {
  return text.slice(0, MAX_MESSAGE);
}

const SILENT: ErrorWords = {
  type: "",
  code: "",
  param: "",
  message: "",
  details: undefined,
  status: undefined,
};

/** Vendors nest a reason three deep at most. */
const MAX_DEPTH = 3;
/** Error bodies are a few hundred bytes; a large one is a page that nobody reads. */
const MAX_READ_BYTES = 64 * 1024;
/** Vendors that quote the request in their message would else send it back whole. */
const MAX_MESSAGE = 8 * 1024;
