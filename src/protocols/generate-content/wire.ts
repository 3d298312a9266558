import { z } from "zod";
import type { generateContentFields } from "./forward.ts";

const content = z.looseObject({
  role: z.string().optional().describe("`user` or `model`"),
  parts: z.array(
    z.looseObject({
      text: z.string().optional(),
      inlineData: z.looseObject({ mimeType: z.string(), data: z.string() }).optional(),
      fileData: z.looseObject({ mimeType: z.string().optional(), fileUri: z.string() }).optional(),
    }),
  ),
});

/** A generateContent request: the listed fields. Fields that are not listed are passed on. */
export const generateContentRequest = z.looseObject({
  contents: z.array(content),
  systemInstruction: z
    .looseObject({ parts: z.array(z.looseObject({ text: z.string().optional() })) })
    .nullish(),
  generationConfig: z
    .looseObject({
      temperature: z.number().min(0).max(2).nullish(),
      topP: z.number().nullish(),
      topK: z.number().nullish(),
      maxOutputTokens: z.int().nullish(),
      stopSequences: z.array(z.string()).nullish(),
      responseMimeType: z.string().nullish().describe("For example `application/json`"),
      responseSchema: z.looseObject({}).nullish(),
      thinkingConfig: z.looseObject({}).nullish().describe("For example `thinkingLevel`, `includeThoughts`"),
    })
    .nullish(),
  tools: z.array(z.looseObject({})).nullish().describe("For example `functionDeclarations`"),
  safetySettings: z.array(z.looseObject({ category: z.string(), threshold: z.string() })).nullish(),
} satisfies Record<Exclude<keyof typeof generateContentFields.listed, `${string}_${string}`>, z.ZodType>);

/** A plain generateContent answer; streamed events have the same shape. */
export const generateContentResponse = z.looseObject({
  candidates: z
    .array(
      z.looseObject({
        content: z.looseObject({ role: z.string().optional() }).optional(),
        finishReason: z.string().optional().describe("`STOP`, `MAX_TOKENS`, `SAFETY` ..."),
        index: z.int().optional(),
      }),
    )
    .optional()
    .describe("Absent if the prompt was blocked"),
  usageMetadata: z
    .looseObject({
      promptTokenCount: z.int().optional(),
      candidatesTokenCount: z.int().optional().describe("Without thinking tokens"),
      thoughtsTokenCount: z.int().optional().describe("Billed at the output price"),
      totalTokenCount: z.int().optional(),
    })
    .optional(),
  modelVersion: z.string().optional(),
});
