import { isDeepStrictEqual } from "node:util";
import { asObject, asText } from "../../src/protocols/json.ts";
import type { Finding } from "./oracle-judge.ts";
import type { Rule } from "./oracle-rules.ts";

/** Accepted differences in what upstreams of one protocol are asked. */
const TO_RESPONSES: readonly Rule[] = [
  {
    why: "Neither a stream nor a stored answer was asked for: both are said, since the vendor stores by default.",
    covers: ({ place, ours, theirs }) => /^(stream|store)$/.test(place) && ours === false && theirs !== false,
  },
  {
    why: "Rule 27: `strict` omitted means true in responses and false elsewhere.",
    covers: ({ place, ours, theirs }) =>
      /^(tools\[\]|text\.format)\.strict$/.test(place) && ours === false && theirs === undefined,
  },
  {
    why: "Encrypted thoughts are asked for, so that the next turn can give them back (rule 36).",
    covers: ({ place, theirs }) => place === "include" && theirs === undefined,
  },
  {
    why: "Responses demands a name of the answer's form; the caller's protocol has none, and any will do.",
    covers: ({ place, ours, theirs }) =>
      place === "text.format.name" && ours === "answer" && theirs === "response",
  },
  {
    why: "The status of an item of the input, and the tool's name beside a result, are optional there.",
    covers: ({ place, ours }) => /^input\[\]\.(status|name)$/.test(place) && ours === undefined,
  },
  {
    why: "The schema of responses requires `detail` of pictures; `auto` is its default.",
    covers: ({ place, ours, theirs }) =>
      place === "input[].content[].detail" && ours === "auto" && theirs === undefined,
  },
  {
    why: "The caller asked to see thoughts (`includeThoughts`), which is what a summary is.",
    covers: ({ place, ours, caller }) =>
      place === "reasoning.summary" && ours === "auto" && caller === "generate-content",
  },
  {
    why: "Labels of stored answers and log probabilities are hints without a neutral place: a listed loss each.",
    covers: ({ place, ours, lost }) =>
      /^(metadata|top_logprobs)$/.test(place) && ours === undefined && lost.includes(place),
  },
];

const TO_CHAT: readonly Rule[] = [
  {
    why: "Rule 39: the minimum of 16 is that of responses; elsewhere a limit is kept as the caller said it.",
    covers: ({ place, ours, theirs }) => place === "max_completion_tokens" && ours === 1 && theirs === 16,
  },
];

const TO_MESSAGES: readonly Rule[] = [
  {
    why: "JSON of no schema has no slot: it is asked for in words, and the loss is listed. The peer's tool without a schema makes models wrap the answer in a field of their own.",
    covers: ({ place, ours, theirs, lost }) =>
      lost.some((path) => FORMATS.includes(path)) &&
      ((ours === undefined &&
        /^(tools|tool_choice)$/.test(place) &&
        JSON.stringify(theirs).includes('"name":"json"')) ||
        (place === "system" &&
          theirs === undefined &&
          isDeepStrictEqual(ours, [{ type: "text", text: "Answer with nothing but JSON." }]))),
  },
  {
    why: "Rule 38: effort and budget become each other by fixed steps, within the limit; the peer's shares of the limit are as good.",
    covers: ({ place, ours, theirs }) =>
      place === "thinking.budget_tokens" && typeof ours === "number" && typeof theirs === "number",
  },
  {
    why: "Rule 38: a model that thinks adaptively is told so: an effort alone starts no thinking, and budgets are its elders' way.",
    covers: ({ place, ours, theirs }) =>
      (place === "thinking" && asObject(ours)?.["type"] === "adaptive" && theirs === undefined) ||
      (place === "thinking.type" && ours === "adaptive" && theirs === "enabled") ||
      (place === "thinking.budget_tokens" && ours === undefined) ||
      (place === "output_config" && isDeepStrictEqual(Object.keys(asObject(ours) ?? {}), ["effort"])),
  },
  {
    why: "Rule 38: 1024 <= budget < max_tokens. Where the limit leaves no room, there is no thinking; the vendor answered 400 to the peer's.",
    covers: ({ place, ours, theirs }) =>
      place === "thinking" && ours === undefined && asObject(theirs)?.["budget_tokens"] === 1024,
  },
  {
    why: "What describes the answer's form stands in its schema, as toward generateContent; here the peer loses it.",
    covers: ({ place, theirs }) =>
      place === "output_config.format.schema.description" && theirs === undefined,
  },
  {
    why: "The caller asked to see thoughts (`includeThoughts`).",
    covers: ({ place, ours, theirs }) =>
      place === "thinking.display" && ours === "summarized" && theirs === undefined,
  },
  {
    why: "Rule 27: `strict` omitted means false here.",
    covers: ({ place, ours, theirs }) => place === "tools[].strict" && ours === undefined && theirs === false,
  },
  {
    why: "Whoever has no cache marks of its own is cached all the same: the vendor does so only when asked.",
    covers: ({ place, ours, theirs }) =>
      place === "cache_control" && isDeepStrictEqual(ours, { type: "ephemeral" }) && theirs === undefined,
  },
];

const TO_NATIVE: readonly Rule[] = [
  {
    why: "generateContent names the model in the path; the peer puts it into the body, for its own use.",
    covers: ({ place, ours }) => place === "model" && ours === undefined,
  },
  {
    why: "The name of an answer's form is a word of the other protocols; the caller's schema is not given a title for it.",
    covers: ({ place, ours }) => place === "generationConfig.responseJsonSchema.title" && ours === undefined,
  },
  {
    why: "Ids of calls and results have a slot, and a call and its result must agree.",
    covers: ({ place, theirs }) =>
      /^contents\[\]\.parts\[\]\.function(Call|Response)\.id$/.test(place) && theirs === undefined,
  },
  {
    why: "A caller of responses that wants a summary of the thoughts says so; this one did not.",
    covers: ({ place, caller, ours }) =>
      place === "generationConfig.thinkingConfig.includeThoughts" &&
      caller === "responses" &&
      ours === undefined,
  },
  {
    why: "A wish not to think is told as the least that the model can do; the peer drops it.",
    covers: ({ place, ours, theirs }) =>
      place === "generationConfig.thinkingConfig" &&
      isDeepStrictEqual(ours, { thinkingLevel: "MINIMAL" }) &&
      theirs === undefined,
  },
  {
    why: "Rule 31: later instructions stand in place in the next user turn; the peer puts them before the conversation, where they contradict the first ones.",
    covers: ({ place, ours, theirs }) =>
      (place === "contents[].parts[]" && theirs === undefined && asObject(ours)?.["text"] !== undefined) ||
      (place === "systemInstruction.parts[].text" && asText(theirs).startsWith(`${ours}\n`)),
  },
  {
    why: "Rule 37: a call without a signature of its own says so in the vendor's word.",
    covers: ({ place, ours }) =>
      place === "contents[].parts[].thoughtSignature" && ours === "skip_thought_signature_validator",
  },
  {
    why: "`audio/mpeg` is the registered name of what the peer calls `audio/mp3`.",
    covers: ({ place, ours, theirs }) =>
      place.endsWith(".mimeType") && ours === "audio/mpeg" && theirs === "audio/mp3",
  },
];

export const UPSTREAM_RULES: readonly Rule[] = [
  { upstream: "responses", rules: TO_RESPONSES },
  { upstream: "chat-completions", rules: TO_CHAT },
  { upstream: "messages", rules: TO_MESSAGES },
  { upstream: "generate-content", rules: TO_NATIVE },
].flatMap(({ upstream, rules }) =>
  rules.map(({ why, covers }) => ({
    why,
    covers: (found: Finding) => found.upstream === upstream && covers(found),
  })),
);

/** The names of the response's form in the callers' protocols. */
const FORMATS = [
  ...["response_format", "text.format"],
  ...["generationConfig.responseJsonSchema", "generationConfig.responseMimeType"],
];
