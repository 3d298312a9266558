import { statesError } from "../errors/error-body.ts";
import { decodeStatedError } from "../errors/upstream-error.ts";
import { asArray, asObject, asText, type JsonObject } from "../json.ts";
import { type MeteringRules, noteUsage, type StreamState } from "../streams/metering-rules.ts";
import { metered, Tally } from "../streams/usage-counts.ts";
import { usageReader } from "../streams/usage-reader.ts";

const rules: MeteringRules = {
  callerFinishes: new Set(),
  declines: () => false,
  anyForm: true,
  readResponse: read,
  readEvent: read,
  // Scores are no text: where usage is missing, only the input is estimated.
  responseText() {},
  eventText() {},
  openLook: () => () => true,

  buckets(usage) {
    const tally = new Tally();
    const beside = tally.filled(usage, ["prompt_tokens", "total_tokens"]);
    const billed = tally.filled(asObject(usage["billed_units"]), ["input_tokens", "total_tokens"], beside);
    const input = tally.filled(asObject(usage["tokens"]), ["input_tokens"], billed);
    // Known to be nothing, which is more than "not reported".
    const told = metered(tally, { inputUncached: input }, { outputVisible: 0 }, usage);
    // https://docs.cohere.com/v2/reference/rerank: one for a query with up to 100 documents.
    const search = tally.count(asObject(usage["billed_units"]), "search_units");
    return search === undefined || search === 0 ? told : { ...told, units: { search } };
  },
};

/** Reads usage off rerank answers; one family of vendors keeps it in `meta`. */
export const rerankUsage = usageReader(rules);

function read(body: JsonObject, notes: StreamState): void {
  if (statesError(body)) notes.error ??= decodeStatedError(body);
  else notes.started = true;
  notes.id ??= asText(body["id"]) || undefined;
  notes.output ||= asArray(body["results"] ?? body["data"]).length > 0;
  noteUsage(notes, asObject(body["meta"]));
  noteUsage(notes, asObject(body["usage"]));
}
