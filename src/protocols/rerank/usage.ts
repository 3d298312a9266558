import { statesError } from "../errors/error-body.ts";
import { decodeStatedError } from "../errors/upstream-error.ts";
import { asArray, asObject, type JsonObject } from "../json.ts";
import { type MeteringRules, recordId, recordUsage, type StreamState } from "../streams/metering-rules.ts";
import { metered, UsageCounter } from "../streams/usage-counts.ts";
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
  openByteFilter: () => () => true,

  buckets(usage) {
    const tally = new UsageCounter();
    const counted = tally.count(usage, "search_units");
    // OpenRouter states searches there, and tokens beside them that it does not bill: https://openrouter.ai/docs/api/api-reference/rerank
    const beside = counted ? undefined : tally.filled(usage, ["prompt_tokens", "total_tokens"]);
    const units = asObject(usage["billed_units"]);
    const billed = tally.filled(units, ["input_tokens", "total_tokens"], beside);
    // https://docs.cohere.com/v2/reference/rerank: one for a query with up to 100 documents, whatever tokens they have.
    const search = tally.count(units, "search_units") ?? counted;
    const isSearch = search !== undefined && search > 0;
    const input = isSearch ? billed : tally.filled(asObject(usage["tokens"]), ["input_tokens"], billed);
    // Known to be nothing, which is more than "not reported".
    const reading = metered(tally, { inputUncached: input }, { outputVisible: 0 }, usage);
    return isSearch ? { ...reading, units: { search } } : reading;
  },
};

/** Reads usage off rerank answers; one family of vendors keeps it in `meta`. */
export const rerankUsage = usageReader(rules);

function read(body: JsonObject, state: StreamState): void {
  if (statesError(body)) state.error ??= decodeStatedError(body);
  else state.started = true;
  recordId(state, body["id"]);
  // https://docs.api.nvidia.com/nim/reference/nvidia-llama-3_2-nv-rerankqa-1b-v2-infer has `rankings`.
  state.output ||= [body["results"], body["data"], body["rankings"]].some((list) => asArray(list).length > 0);
  // One of a list without an object around it: https://huggingface.github.io/text-embeddings-inference
  state.output ||= typeof body["score"] === "number";
  recordUsage(state, asObject(body["meta"]));
  recordUsage(state, asObject(body["usage"]));
}
