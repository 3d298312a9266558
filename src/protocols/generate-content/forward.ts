import { entries, generatingHold, imageData, mediaType } from "../body-features.ts";
import type { RequestFields } from "../fields.ts";
import type { ForwardTable } from "../protocol.ts";
import { keyedTools } from "../tool-features.ts";
import { NO_STATE } from "./decode-parts.ts";
import { wordOf } from "./enums.ts";
import { generateContentReferences } from "./references.ts";

/** Top-level fields of a request. */
export const generateContentFields = {
  listed: {
    contents: ["array"],
    systemInstruction: ["object"],
    system_instruction: ["object"],
    generationConfig: ["object"],
    generation_config: ["object"],
    tools: ["array"],
    safetySettings: ["array"],
    safety_settings: ["array"],
  },
  decoded: ["cachedContent", "model", "toolConfig"],
  meaning: [],
  passed: ["system_instruction", "generation_config", "safetySettings", "safety_settings"],
} as const satisfies RequestFields;

/**
 * The parts of a generateContent body that forwarding reads. The vendor accepts every field in camelCase and in
 * snake_case, so both spellings are watched.
 */
export const generateContentForward: ForwardTable = {
  modelInBody: false,
  fields: generateContentFields.listed,
  required: [],
  content: { field: "contents", alternatives: [] },
  maxItems: {},
  outputLimits: [
    "generationConfig.maxOutputTokens",
    "generationConfig.max_output_tokens",
    "generation_config.maxOutputTokens",
    "generation_config.max_output_tokens",
  ],
  ownLimit: { name: "maxOutputTokens", within: ["generationConfig", "generation_config"] },
  // The Python and Go clients fail on a comment.
  keepAliveFrame: "\n\n",
  clientsAcceptComments: false,
  streamsArrays: true,
  references: generateContentReferences,
  responseCounts: [
    "generationConfig.candidateCount",
    "generationConfig.candidate_count",
    "generation_config.candidateCount",
    "generation_config.candidate_count",
  ],
  hold: generatingHold(
    [
      ...["inlineData", "inline_data"].flatMap((inline) => {
        const types = [`**.${inline}.mimeType`, `**.${inline}.mime_type`];
        return [
          ...entries(mediaType, types),
          ...entries(imageData(types), [
            `contents.parts.${inline}.data`,
            `contents.parts.functionResponse.parts.${inline}.data`,
          ]),
        ];
      }),
      ...keyedTools("tools[]"),
    ],
    { readMediumWord: (word) => wordOf("modality", word) },
  ),
  opening: {
    system: ["systemInstruction.parts.text", "system_instruction.parts.text"],
    role: "contents.role",
    texts: ["contents.parts.text"],
  },
  state: {
    inBase64: true,
    rows: ["thoughtSignature", "thought_signature"].map((name) => ({
      path: `contents[].parts[].${name}`,
      removes: { replacement: NO_STATE },
    })),
  },
};
