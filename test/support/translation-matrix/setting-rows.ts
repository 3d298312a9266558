import { effortOf } from "../../../src/conversation/lower/effort.ts";
import { CHAT, NATIVE, type RequestRow } from "./row.ts";
import { alike, config, PLACE } from "./spoken.ts";

export const SETTING_ROWS: readonly RequestRow[] = [
  {
    title: "temperature",
    says: {
      ...alike({ temperature: 0.5 }, CHAT, "responses", "messages"),
      [NATIVE]: config({ temperature: 0.5 }),
    },
    read: ({ sampling }) => sampling,
  },
  {
    title: "temperature above 1",
    says: { ...alike({ temperature: 1.7 }, CHAT, "responses"), [NATIVE]: config({ temperature: 1.7 }) },
    read: ({ sampling }) => sampling,
  },
  {
    title: "top p",
    says: { ...alike({ top_p: 0.5 }, CHAT, "responses", "messages"), [NATIVE]: config({ topP: 0.5 }) },
    read: ({ sampling }) => sampling,
  },
  {
    title: "top k",
    says: { ...alike({ top_k: 5 }, CHAT, "messages"), [NATIVE]: config({ topK: 5 }) },
    read: ({ sampling }) => sampling,
  },
  {
    title: "seed",
    says: { ...alike({ seed: 7 }, CHAT), [NATIVE]: config({ seed: 7 }) },
    read: ({ sampling }) => sampling,
  },
  {
    title: "penalties",
    says: {
      ...alike({ presence_penalty: 1, frequency_penalty: 1 }, CHAT, "responses"),
      [NATIVE]: config({ presencePenalty: 1, frequencyPenalty: 1 }),
    },
    read: ({ sampling }) => sampling,
  },
  {
    title: "output limit",
    says: {
      [CHAT]: { max_completion_tokens: 100 },
      responses: { max_output_tokens: 100 },
      messages: { max_tokens: 100 },
      [NATIVE]: config({ maxOutputTokens: 100 }),
    },
    read: ({ limits }) => limits.maxOutputTokens,
  },
  {
    title: "stop sequences",
    says: {
      [CHAT]: { stop: ["END", "###"] },
      messages: { stop_sequences: ["END", "###"] },
      [NATIVE]: config({ stopSequences: ["END", "###"] }),
    },
    read: ({ limits }) => limits.stop,
  },
  {
    title: "reasoning effort",
    says: {
      [CHAT]: { reasoning_effort: "high" },
      responses: { reasoning: { effort: "high" } },
      messages: { output_config: { effort: "high" } },
      [NATIVE]: config({ thinkingConfig: { thinkingLevel: "high" } }),
    },
    // A budget says the same.
    read: ({ reasoning }) => reasoning && effortOf(reasoning),
  },
  {
    title: "thinking budget",
    says: {
      messages: { thinking: { type: "enabled", budget_tokens: 2000 } },
      [NATIVE]: config({ thinkingConfig: { thinkingBudget: 2000 } }),
    },
    read: ({ reasoning }) => reasoning?.budgetTokens,
  },
  {
    title: "thinking off",
    says: {
      [CHAT]: { reasoning_effort: "none" },
      responses: { reasoning: { effort: "none" } },
      messages: { thinking: { type: "disabled" } },
      [NATIVE]: config({ thinkingConfig: { thinkingBudget: 0 } }),
    },
    read: ({ reasoning }) => reasoning?.enabled,
  },
  {
    title: "reasoning shown",
    says: {
      responses: { reasoning: { effort: "high", summary: "detailed" } },
      messages: { thinking: { type: "enabled", budget_tokens: 2000, display: "summarized" } },
      [NATIVE]: config({ thinkingConfig: { thinkingBudget: 2000, includeThoughts: true } }),
    },
    // The vendor decides the length of a summary.
    read: ({ reasoning }) => reasoning?.summary !== undefined && reasoning.summary !== "none",
  },
  {
    title: "JSON output",
    says: {
      [CHAT]: { response_format: { type: "json_object" } },
      responses: { text: { format: { type: "json_object" } } },
      [NATIVE]: config({ responseMimeType: "application/json" }),
    },
    read: ({ responseFormat }) => responseFormat,
  },
  {
    title: "JSON by schema",
    says: {
      [CHAT]: { response_format: { type: "json_schema", json_schema: { name: "a", schema: closed() } } },
      responses: { text: { format: { type: "json_schema", name: "a", schema: closed() } } },
      messages: { output_config: { format: { type: "json_schema", schema: closed() } } },
      [NATIVE]: config({ responseMimeType: "application/json", responseJsonSchema: closed() }),
    },
    read: ({ responseFormat }) => responseFormat?.kind === "schema" && responseFormat.schema,
  },
  {
    title: "schema description",
    says: {
      [CHAT]: {
        response_format: {
          type: "json_schema",
          json_schema: { name: "a", description: "A place.", schema: closed() },
        },
      },
      responses: {
        text: { format: { type: "json_schema", name: "a", description: "A place.", schema: closed() } },
      },
    },
    read: ({ responseFormat }) =>
      responseFormat?.kind === "schema" &&
      (responseFormat.description ?? responseFormat.schema["description"]),
  },
  {
    title: "`strict` of the schema",
    says: {
      [CHAT]: {
        response_format: { type: "json_schema", json_schema: { name: "a", strict: true, schema: closed() } },
      },
      responses: { text: { format: { type: "json_schema", name: "a", strict: true, schema: closed() } } },
    },
    // Those that have no such word always hold to the schema.
    read: ({ responseFormat }) => responseFormat?.kind === "schema" && responseFormat.strict !== false,
  },
  {
    title: "several choices",
    says: { [CHAT]: { n: 2 }, [NATIVE]: config({ candidateCount: 2 }) },
    read: ({ n }) => n,
  },
];

/** A schema that every protocol takes as it is. */
function closed() {
  return { ...PLACE, additionalProperties: false };
}
