import { isRecord } from "../../base/json/record.ts";
import type { Loss } from "../../conversation/loss.ts";
import { effortOf, nearestEffort } from "../../conversation/lower/effort.ts";
import { EFFORTS } from "../../conversation/request.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** Models that Converse serves and no other form of Bedrock's that the gateway speaks, by their ids. */
export const CONVERSE_MODELS =
  /(^|[./])(ai21\.|amazon\.(nova|titan-text)|cohere\.command|deepseek\.r1|meta\.llama|mistral\.(mistral|mixtral|pixtral)-|writer\.)/;

/** The place where a family of models reads fields that Converse itself lacks. */
interface ModelFields {
  readonly name: RegExp;
  /** The path of `top_k`. */
  readonly topK: readonly [string, ...string[]];
  /** Efforts to think with, where it can be told one. */
  readonly efforts?: readonly string[];
}

const FIELDS: readonly ModelFields[] = [
  {
    // https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html: with the effort `high` no limit may be stated.
    name: /amazon\.nova-2/,
    topK: ["inferenceConfig", "topK"],
    efforts: ["low", "medium"],
  },
  // https://docs.aws.amazon.com/nova/latest/userguide/using-converse-api.html
  { name: /amazon\./, topK: ["inferenceConfig", "topK"] },
  // https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-cohere-command-r-plus.html
  { name: /cohere\./, topK: ["k"] },
  // https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-mistral-chat-completion.html
  { name: /./, topK: ["top_k"] },
];

interface WrittenFields {
  readonly additional: JsonObject;
  readonly lost: readonly Loss[];
}

/** Fields of `additionalModelRequestFields`, in which a model refuses unknown ones. */
export function modelFields(asked: JsonObject, model: string): WrittenFields {
  const {
    topK: [first, second],
    efforts = [],
  } = FIELDS.find(({ name }) => name.test(model)) as ModelFields;
  const additional: Record<string, unknown> = {};
  const lost: Loss[] = [];
  const topK = asked["top_k"];
  if (topK !== undefined && topK !== null)
    additional[first] = second === undefined ? topK : { [second]: topK };
  const effort = wishedEffort(asked);
  if (effort === undefined) return { additional, lost };
  if (efforts.length === 0) lost.push({ path: "thinking", reason: "model-refuses" });
  else {
    const maxReasoningEffort = nearestEffort(effort, efforts);
    additional["reasoningConfig"] = { type: "enabled", maxReasoningEffort };
    if (maxReasoningEffort !== effort) lost.push({ path: "thinking", reason: "weakened" });
  }
  return { additional, lost };
}

/** None where thinking is not asked for: no model of these thinks by itself that could also be told not to. */
function wishedEffort({ thinking, output_config: config }: JsonObject): (typeof EFFORTS)[number] | undefined {
  const type = isRecord(thinking) ? thinking["type"] : undefined;
  const stated = isRecord(config) ? EFFORTS.find((word) => word === config["effort"]) : undefined;
  if (type === "disabled" || (type === undefined && stated === undefined)) return undefined;
  const budget = isRecord(thinking) ? thinking["budget_tokens"] : undefined;
  const budgetTokens = typeof budget === "number" ? budget : undefined;
  return effortOf({ enabled: true, effort: stated, budgetTokens }) ?? "medium";
}
