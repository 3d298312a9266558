import {
  addsContent,
  contextEdit,
  entries,
  generatingHold,
  imageData,
  reference,
  scannedPath,
  serviceField,
  sibling,
  type ToolPath,
} from "../body-features.ts";
import { searchSizes } from "../call-sizes.ts";
import type { RequestFields } from "../fields.ts";
import { type ForwardTable, ROUTED_MODELS } from "../protocol.ts";
import { pluginList, typedTools } from "../tool-features.ts";
import { messagesReferences } from "./references.ts";
import { ADVISOR } from "./usage.ts";

/** Top-level fields of a request. */
export const messagesFields = {
  listed: {
    model: ["string"],
    messages: ["array"],
    max_tokens: ["number"],
    system: ["string", "array"],
    stream: ["boolean"],
    temperature: ["number"],
    top_p: ["number"],
    top_k: ["number"],
    stop_sequences: ["array"],
    thinking: ["object"],
    tools: ["array"],
    tool_choice: ["object"],
    metadata: ["object"],
  },
  decoded: ["cache_control", "output_config", "output_format", "thread"],
  meaning: ["container", "mcp_servers", "inference_geo", "compaction"],
  passed: [],
} as const satisfies RequestFields;

/**
 * Tools are defined in their list, in blocks of the type `tool_addition`, and in the list of those that a compaction
 * keeps.
 */
const TOOLS: readonly ToolPath[] = [
  { path: "tools[]" },
  { path: "messages[].content[].tool.definition" },
  { path: "messages[].content[].tool_changes[].tool.definition", inState: true },
];

/** The parts of a messages body that forwarding reads. */
export const messagesForward: ForwardTable = {
  modelInBody: true,
  fields: messagesFields.listed,
  required: ["max_tokens"],
  content: { field: "messages", alternatives: [] },
  maxItems: {},
  watched: ["compaction.type"],
  // An advisor is a tool with a model; a fallback responds where the model declines.
  additionalModels: [
    // https://platform.claude.com/docs/en/agents-and-tools/tool-use/advisor-tool#usage-and-billing
    ...TOOLS.map(({ path }) => ({ path: `${path}.model`, worksByCall: true, freeCalls: ADVISOR }) as const),
    // https://platform.claude.com/docs/en/build-with-claude/refusals-and-fallback
    { path: "fallbacks[].model", outputLimit: "fallbacks[].max_tokens", speed: "fallbacks[].speed" },
    { path: "fallbacks", isOpen: true },
    // Servers that took over the interface may read it in the singular.
    { path: "fallback.model", outputLimit: "fallback.max_tokens", speed: "fallback.speed" },
    { path: "fallback", isOpen: true },
    ROUTED_MODELS,
  ],
  outputLimits: ["max_tokens"],
  // https://platform.claude.com/docs/en/build-with-claude/prompt-caching#pre-warming-the-cache
  zeroIsALimit: true,
  ownLimit: { name: "max_tokens" },
  keepAliveFrame: 'event: ping\ndata: {"type": "ping"}\n\n',
  clientsAcceptComments: true,
  streamsArrays: false,
  references: messagesReferences,
  // https://platform.claude.com/docs/en/api/messages/create
  endUser: ["metadata.user_id"],
  responseCounts: [],
  hold: generatingHold(
    [
      ...entries(sibling, ["**.source.type"]),
      ...entries(imageData(["**.source.media_type"], "**.source.type"), [
        "messages.content.source.data",
        "messages.content.content.source.data",
      ]),
      ...typedTools(TOOLS),
      ...pluginList,
      ...entries(reference, ["thread.previous_message_id"]),
      ...entries(addsContent, ["mcp_servers", "container"]),
      ...entries(contextEdit, ["context_management.edits.type"]),
      ...entries(serviceField("speed"), ["speed"]),
      ...entries(serviceField("region"), ["inference_geo"]),
    ],
    {
      callSizes: searchSizes(TOOLS),
      callLimits: { each: TOOLS.map((place) => `${scannedPath(place)}.max_uses`) },
      toolUse: {
        choice: "tool_choice",
        elsewhere: ["messages.content.tool"],
        history: { path: "messages.content.type", suffix: "_tool_result" },
      },
    },
  ),
  opening: {
    system: ["system", "system.text"],
    role: "messages.role",
    texts: ["messages.content", "messages.content.text"],
  },
  // https://platform.claude.com/docs/en/build-with-claude/extended-thinking
  state: {
    rows: [
      { path: "messages[].content[].signature", removes: "object", types: ["thinking"] },
      { path: "messages[].content[].data", removes: "object", types: ["redacted_thinking"] },
    ],
    // Signatures of translated reasoning.
    unsigned: ['"signature":""', '"signature": ""'].map((mark) => Buffer.from(mark)),
    neverEmpty: "messages.content",
    needsThoughts: { field: "thinking", type: "enabled", replacement: '{"type":"disabled"}' },
  },
};
