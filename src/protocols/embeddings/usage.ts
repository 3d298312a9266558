import { asBuffer } from "../../base/sse.ts";
import { type AnswerNotes, type AnswerRules, noteUsage } from "../answer-rules.ts";
import { statesError } from "../error-body.ts";
import { asArray, asObject, asText, type JsonObject, parseLoosely } from "../json.ts";
import type { UsageReader } from "../protocol.ts";
import { decodeStatedError } from "../upstream-error.ts";
import { metered, Tally } from "../usage-counts.ts";
import { usageReader } from "../usage-reader.ts";

const rules: AnswerRules = {
  callerFinishes: new Set(),
  anyForm: true,
  readAnswer: read,
  readEvent: read,
  // Vectors are no text: where usage is missing, only the input is estimated.
  answerText() {},
  eventText() {},
  openLook: () => () => true,

  buckets(usage) {
    const tally = new Tally();
    const input = tally.filled(usage, ["prompt_tokens", "input_tokens", "total_tokens"]);
    // Known to be nothing, which is more than "not reported".
    return metered(tally, { inputUncached: input }, { outputVisible: 0 }, usage);
  },
};

const reader = usageReader(rules);

/** Reads usage off embeddings. A large batch is not parsed: its vectors would hold up everyone for a second. */
export const embeddingsUsage: UsageReader = {
  ...reader,
  readBytes: (body) =>
    body.length <= PARSED_BYTES ? reader.readBytes(body) : reader.readPlain(outlineOf(asBuffer(body))),
};

function read(body: JsonObject, notes: AnswerNotes): void {
  if (statesError(body)) notes.error ??= decodeStatedError(body);
  else notes.started = true;
  notes.id ??= asText(body["id"]) || undefined;
  notes.output ||= asArray(body["data"]).length > 0;
  noteUsage(notes, asObject(body["usage"]));
}

/** The answer without its vectors. Vectors are numbers or base64, so that no other text can spell the keys. */
function outlineOf(body: Buffer): JsonObject {
  const key = body.lastIndexOf('"usage"');
  const start = key === -1 ? -1 : body.indexOf("{", key);
  const outline = { data: body.includes('"embedding"') ? [null] : [] };
  if (start === -1) return outline;
  const text = body.toString("utf8", start, start + USAGE_BYTES);
  for (let end = text.indexOf("}"); end !== -1; end = text.indexOf("}", end + 1)) {
    const usage = asObject(parseLoosely(text.slice(0, end + 1)));
    if (usage !== undefined) return { ...outline, usage };
  }
  return outline;
}

/** A megabyte is parsed in a few milliseconds. */
const PARSED_BYTES = 1024 * 1024;
/** Usage objects have a few hundred bytes. */
const USAGE_BYTES = 4096;
