import { isDeepStrictEqual } from "node:util";
import { asArray, asObject, asObjects, asText } from "../../src/protocols/json.ts";
import type { Finding } from "./oracle-judge.ts";
import type { Rule } from "./oracle-rules.ts";
import { UPSTREAM_RULES } from "./oracle-rules-upstreams.ts";

/** Accepted differences in what an upstream is asked. */
const TO_ANY: readonly Rule[] = [
  {
    why: "A plain answer is always asked for as one, since some servers stream unless they are told not to.",
    covers: ({ place, ours, theirs }) => place === "stream" && ours === false && theirs === undefined,
  },
  {
    why: "A service tier is one vendor's price class: what a caller asks of one is no wish for another's. The loss is listed, but of the default.",
    covers: ({ place, ours, theirs, lost }) =>
      /^service_?tier$/i.test(place) &&
      ours === undefined &&
      (lost.includes("service_tier") || theirs === "auto"),
  },
  {
    why: "The peer loses the instructions of generateContent, and seeds and penalties to and from it, without a word.",
    covers: ({ place, caller, upstream, ours, theirs }) =>
      theirs === undefined &&
      [caller, upstream].includes("generate-content") &&
      (/^(seed|system)$/.test(place) ||
        isDeepStrictEqual(Object.keys(asObject(ours) ?? {}), ["presencePenalty"]) ||
        isDeepStrictEqual(Object.keys(asObject(ours) ?? {}), ["seed"]) ||
        (/^(messages|input)\[\]$/.test(place) && asObject(ours)?.["role"] === "system")),
  },
  {
    why: "An answer that is a picture, where the upstream answers in text alone, is another meaning: refused, not dropped.",
    covers: ({ ours }) => refused(ours) === "generationConfig.responseModalities",
  },
  {
    why: "A tool that the caller runs itself but has not described (an editor) changes what the answer can be: refused, not dropped.",
    covers: ({ ours, caller }) => caller === "messages" && /^tools\[\d+\]$/.test(refused(ours)),
  },
  {
    why: "Rule 35: generateContent is given https addresses. Another scheme is an account's own storage: the vendor answered 400 to the peer's.",
    covers: ({ ours, theirs }) =>
      refused(ours).startsWith("messages[]") && JSON.stringify(theirs).includes('"fileUri":"gs://'),
  },
  {
    why: "Rule 29: hosted tools of one vendor go with a loss, for another's of like name search elsewhere and are billed otherwise.",
    covers: ({ place, ours, theirs, lost }) =>
      ours === undefined &&
      lost.some((path) => path.startsWith("tools[")) &&
      ((/^tools(\[\])?$/.test(place) && toolsOf(theirs).every((tool) => HOSTED.test(asText(tool["type"])))) ||
        place === "tools[].defer_loading"),
  },
  {
    why: "Calls and results of a hosted tool that is dropped go with it, with a loss; the user's turns around them become one (rule 32).",
    covers: ({ place, caller, ours, theirs, lost }) =>
      caller === "responses" &&
      lost.some((path) => path.startsWith("input[")) &&
      ((place === "messages[]" && ours === undefined && (isHostedTurn(theirs) || isUserText(theirs))) ||
        (place === "messages[].content[]" && theirs === undefined && asObject(ours)?.["type"] === "text")),
  },
  {
    why: "Rule 29: tools of a group are flattened into functions, with the group in the name so that two groups never meet; the peer drops or renames them.",
    covers: ({ place, ours, theirs }) =>
      (place === "tools[].name" && asText(ours).endsWith(`__${asText(theirs)}`)) ||
      (place === "tools" && theirs === undefined && JSON.stringify(ours).includes("__")),
  },
  {
    why: "The caller's schema is told as it is: closing its objects or requiring more would ask for another answer.",
    covers: ({ place, ours, theirs }) =>
      ours === undefined &&
      ((/schema\.additionalProperties$/.test(place) && theirs === false) ||
        /schema\.required\[\]$/.test(place)),
  },
  {
    why: "Rule 38: a budget is called by the steps of a vendor that has both; the peer goes by the share of the output limit.",
    covers: ({ place, ours, theirs }) =>
      /^reasoning[._]effort$/.test(place) && typeof ours === "string" && typeof theirs === "string",
  },
  {
    why: "The caller's name for its end user stands in `user`, which every vendor of these protocols knows; the peer uses names of one vendor.",
    covers: ({ place, ours, theirs }) =>
      (place === "user" && theirs === undefined) ||
      (ours === undefined &&
        (place === "safety_identifier" ||
          (place === "metadata" && isDeepStrictEqual(Object.keys(asObject(theirs) ?? {}), ["user_id"])))),
  },
  {
    why: "Rule 22: ids that the caller left out are unique over all turns; numbers from 0 meet those of other turns.",
    covers: ({ side, place, ours, theirs }) =>
      side === "request" &&
      /(\.|_)id$/.test(place) &&
      MADE.test(asText(ours)) &&
      /^call_\d+$/.test(asText(theirs)),
  },
  {
    why: "Rule 24: a result that is text stays the text it was, though it looks like JSON; the peer parses and writes it anew.",
    covers: ({ place, ours, theirs }) =>
      /(content\[\]\.text|response\.output)$/.test(place) && sameJson(ours, theirs),
  },
];

export const REQUEST_RULES: readonly Rule[] = [...TO_ANY, ...UPSTREAM_RULES].map(({ why, covers }) => ({
  why,
  covers: (found: Finding) => found.side === "request" && covers(found),
}));

const HOSTED = /^(web_search|tool_search)/;
const MADE = /^call_[0-9a-f]{24}$/;

/** The path of a refusal, "" for anything else. */
function refused(ours: unknown): string {
  return asText(asObject(ours)?.["refused"]);
}

function isHostedTurn(turn: unknown): boolean {
  const types = asObjects(asObject(turn)?.["content"]).map(({ type }) => asText(type));
  return types.every((type) => /^(server_tool_use|tool_search_)/.test(type));
}

function isUserText(turn: unknown): boolean {
  const { role, content } = asObject(turn) ?? {};
  return role === "user" && asObjects(content).every(({ type }) => type === "text");
}

function toolsOf(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? asObjects(asArray(value)) : [asObject(value) ?? {}];
}

/** True if both are the same JSON, as a value or as its text. */
function sameJson(ours: unknown, theirs: unknown): boolean {
  const read = (value: unknown): unknown => (typeof value === "string" ? JSON.parse(value) : value);
  return isDeepStrictEqual(read(ours), read(theirs));
}
