import { writeExact } from "../../base/json/exact-json.ts";
import type { ResponsePlan } from "../../conversation/lower/plan.ts";
import type { Citation } from "../../conversation/request.ts";
import type { ChatResponse, Choice, ResponsePart } from "../../conversation/response.ts";
import type { Opaque } from "../../conversation/state/opaque.ts";
import { decodeStatedError } from "../errors/upstream-error.ts";
import { asArray, asIndex, asName, asObject, asObjects, type JsonObject } from "../json.ts";
import type { DecodedResponse } from "../translation.ts";
import { decodeAudio } from "./audio.ts";
import { decodeCalls } from "./decode-calls.ts";
import { decodeCitations, decodeImages, decodeRefusal, decodeText } from "./decode-message.ts";
import { reportedFailure } from "./failure.ts";
import { decodeFinish, finishWord } from "./finish.ts";
import { decodeThoughts } from "./reasoning.ts";
import { decodeSources, decodeVisited, openSources } from "./sources.ts";
import { chatCompletionsUsage } from "./usage.ts";

/** Reads an upstream's plain chat completion, whatever it is. */
export function decodeResponse(raw: unknown, plan: ResponsePlan): DecodedResponse {
  const body = asObject(Array.isArray(raw) ? raw[0] : raw) ?? {};
  const failure = reportedFailure(body);
  if (failure !== undefined) return { error: failure };
  const choices = asObjects(body["choices"]).toSorted((a, b) => asIndex(a["index"]) - asIndex(b["index"]));
  if (choices.length === 0) {
    return { error: decodeStatedError({ error: { message: "The upstream's response has no choice." } }) };
  }
  const { usage } = chatCompletionsUsage.readPlain(body);
  const sources = openSources(decodeSources(body));
  const response: ChatResponse = {
    ...decodeHead(body),
    choices: choices.slice(0, MAX_CHOICES).map((choice, index) => decodeChoice(choice, index, sources, plan)),
    usage,
  };
  return { response };
}

/** The fields that a response and each of its chunks have about themselves. */
export function decodeHead(body: JsonObject): Pick<ChatResponse, "id" | "model" | "created"> {
  const { id, model, created } = body;
  return {
    id: asName(id),
    model: asName(model),
    created: typeof created === "number" && Number.isSafeInteger(created) ? created : undefined,
  };
}

function decodeChoice(
  choice: JsonObject,
  index: number,
  sources: () => readonly Citation[],
  plan: ResponsePlan,
): Choice {
  const message = asObject(choice["message"]) ?? {};
  const text = decodeText(message);
  const [citations = sources()] = [decodeCitations(message), decodeVisited(message)].filter(
    ({ length }) => length > 0,
  );
  const refusal = decodeRefusal(message);
  const calls = decodeCalls(message, plan, index);
  const parts: ResponsePart[] = [
    ...reasoningOf(message, plan),
    ...(text === ""
      ? []
      : [{ kind: "text", text, citations: citations.length === 0 ? undefined : citations } as const]),
    ...(refusal === "" ? [] : [{ kind: "text", text: refusal, refusal: true } as const]),
    ...decodeImages(message),
    ...decodeAudio(message),
    ...calls,
  ];
  return { parts, finish: decodeFinish(finishWord(choice)) };
}

function reasoningOf(message: JsonObject, plan: ResponsePlan): readonly ResponsePart[] {
  const text = decodeThoughts(message);
  const opaque = decodeDetails(message, plan);
  if (text === "" && opaque === undefined) return [];
  return [{ kind: "reasoning", text, opaque }];
}

/** `reasoning_details`, which one vendor wants back as they are: they hold the signatures of others. */
function decodeDetails(message: JsonObject, plan: ResponsePlan): Opaque | undefined {
  const details = asArray(message["reasoning_details"]);
  return details.length === 0 ? undefined : { origin: plan.origin, value: writeExact(details) };
}

/** No caller is allowed more responses at once; a stream that invents them grows no state, and a body no copies. */
export const MAX_CHOICES = 128;
