import { contextEdit, entries, generatingHold, imageUrl, reference, serviceField } from "../body-features.ts";
import { containerSizes, searchSizes } from "../call-sizes.ts";
import type { RequestFields } from "../fields.ts";
import { asObject, asObjects } from "../json.ts";
import { type ForwardTable, gatewayFallbacks, ROUTED_MODELS } from "../protocol.ts";
import { pluginList, typedTools } from "../tool-features.ts";
import { encodeUsage } from "./encode-usage.ts";
import { responsesReferences } from "./references.ts";

const TERMINAL: ReadonlySet<unknown> = new Set([
  "response.completed",
  "response.done",
  "response.incomplete",
]);

/** Top-level fields of a request. */
export const responsesFields = {
  listed: {
    model: ["string"],
    input: ["string", "array"],
    instructions: ["string"],
    stream: ["boolean"],
    max_output_tokens: ["number"],
    reasoning: ["object"],
    tools: ["array"],
    tool_choice: ["string", "object"],
    text: ["object"],
    temperature: ["number"],
    previous_response_id: ["string"],
    store: ["boolean"],
  },
  decoded: [
    "frequency_penalty",
    "include",
    "parallel_tool_calls",
    "presence_penalty",
    "prompt_cache_key",
    "prompt_cache_retention",
    "safety_identifier",
    "top_p",
    "user",
  ],
  meaning: ["previous_response_id", "conversation", "prompt", "background"],
  passed: ["store"],
} as const satisfies RequestFields;

/** https://developers.openai.com/api/reference/resources/responses: the tool `image_generation` */
export const DEFAULT_IMAGE_MODEL = "gpt-image-1";

const TOOLS = ["tools[]", "tools[].tools[]", "input[].tools[]", "input[].tools[].tools[]"];
const TOOL_PLACES = TOOLS.map((path) => ({ path }));

/** The parts of a responses body that forwarding reads. */
export const responsesForward: ForwardTable = {
  modelInBody: true,
  fields: responsesFields.listed,
  required: [],
  content: { field: "input", alternatives: ["prompt", "previous_response_id", "conversation"] },
  maxItems: {},
  unserved: {
    background:
      "Background responses aren't supported. Remove `background` and keep the connection open, or stream.",
  },
  additionalModels: [
    ...TOOLS.map(
      (path) =>
        ({
          path: `${path}.model`,
          worksByCall: true,
          tool: { type: "image_generation", byDefault: DEFAULT_IMAGE_MODEL },
        }) as const,
    ),
    ...gatewayFallbacks(["max_output_tokens"]),
    ROUTED_MODELS,
  ],
  outputLimits: ["max_output_tokens"],
  ownLimit: { name: "max_output_tokens" },
  wholeIn({ type, response }, charged) {
    const whole = TERMINAL.has(type) ? asObject(response) : undefined;
    if (asObjects(whole?.["output"]).length === 0) return undefined;
    return charged === undefined ? whole : { ...whole, usage: encodeUsage(charged) };
  },
  keepAliveFrame: ": keep-alive\n\n",
  clientsAcceptComments: true,
  streamsArrays: false,
  references: responsesReferences,
  endUser: ["user", "safety_identifier"],
  responseCounts: [],
  hold: generatingHold(
    [
      ...entries(reference, ["conversation", "conversation.id", "prompt.id"]),
      ...entries(imageUrl, ["input.content.image_url", "input.output.image_url"]),
      // Items bring tools too: https://developers.openai.com/api/docs/guides/tools-tool-search
      ...typedTools(TOOL_PLACES),
      ...pluginList,
      ...entries(serviceField("tier"), ["fallbacks.service_tier"]),
      ...entries(contextEdit, ["context_management.type"]),
    ],
    {
      callLimits: { together: "max_tool_calls" },
      callSizes: [...searchSizes(TOOL_PLACES), ...containerSizes(TOOL_PLACES)],
      toolUse: {
        choice: "tool_choice",
        beside: ["parallel_tool_calls"],
        elsewhere: ["input.tools"],
        history: { path: "input.type", suffix: "_call" },
      },
    },
  ),
  opening: {
    system: ["instructions"],
    role: "input.role",
    texts: ["input", "input.content", "input.content.text"],
  },
  state: {
    // https://developers.openai.com/api/docs/guides/reasoning: an item without it would be looked up by its id.
    rows: [
      {
        path: "input[].encrypted_content",
        removes: "object",
        essential: ["compaction", "compaction_summary"],
      },
    ],
  },
};
