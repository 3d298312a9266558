import { writeExact } from "../../base/json/exact-json.ts";
import type { ReasoningPart } from "../../conversation/request.ts";
import {
  base64For,
  isBareIn,
  type Opaque,
  unwrapBase64,
  unwrapOpaque,
  wrapOpaque,
} from "../../conversation/state/opaque.ts";
import { asArray, asObject, asText, type JsonObject, parseLoosely, parseWhole } from "../json.ts";

/**
 * The one slot of chat completions for opaque state: `extra_content` of a tool call. Clients know one name in it, that
 * of the vendor who invented it, and keep nothing else: state of all others stands under it, the thoughts before the
 * call with it. What such a vendor wrote is kept whole, as it came.
 */
export function encodeCallState(state: Opaque): JsonObject {
  const bare = isBareIn("chat-completions", state) ? asObject(parseWhole(state.value)) : undefined;
  return bare ?? { google: { thought_signature: base64For("chat-completions", state) } };
}

/**
 * State that comes after the call's beginning, when clients no longer look for it, and after the state of the thoughts,
 * to which some would append it: under a name of our own.
 */
export function encodeLateState(state: Opaque): JsonObject {
  return isBareIn("chat-completions", state)
    ? encodeCallState(state)
    : { [SLOT]: { state: wrapOpaque(state) } };
}

/** The content of a call's `extra_content`; earlier versions wrote `thoughts`. */
export function decodeCallState(slot: unknown): {
  readonly state: Opaque | undefined;
  readonly thoughts: readonly ReasoningPart[];
} {
  const extra = asObject(slot);
  if (extra === undefined) return { state: undefined, thoughts: [] };
  const own = asObject(extra[SLOT]);
  const late = unwrapOpaque(asText(own?.["state"]));
  return {
    state: late ?? (own?.["thoughts"] === undefined ? stateIn(extra) : undefined),
    thoughts: asArray(own?.["thoughts"]).flatMap((word) => unwrapThought(asText(word))),
  };
}

/** Wrapped, or as a chat vendor wrote it: the object itself, with what the same vendor calls it in generateContent. */
function stateIn(extra: JsonObject): Opaque | undefined {
  const signature = asText(asObject(extra["google"])?.["thought_signature"]);
  const wrapped = unwrapBase64(signature);
  if (wrapped !== undefined) return wrapped;
  if (Object.keys(extra).every((key) => key === SLOT)) return undefined;
  const twin = signature === "" ? {} : { twin: { protocol: "generate-content", value: signature } as const };
  return { origin: { protocol: "chat-completions" }, value: writeExact(extra), ...twin };
}

function unwrapThought(word: string): readonly ReasoningPart[] {
  const opaque = unwrapOpaque(word);
  const [text, redacted, value] = asArray(opaque === undefined ? undefined : parseLoosely(opaque.value));
  if (opaque === undefined || typeof text !== "string" || typeof value !== "string") return [];
  return [
    {
      kind: "reasoning",
      text,
      redacted: redacted === true ? redacted : undefined,
      opaque: { ...opaque, value },
    },
  ];
}

const SLOT = "faregate";
