import { writeExact } from "../../base/exact-json.ts";
import { type Opaque, unwrapOpaque, wrapOpaque } from "../../conversation/opaque.ts";
import type { ReasoningPart } from "../../conversation/request.ts";
import { asArray, asObject, asText, type JsonObject, parseLoosely, parseWhole } from "../json.ts";

/**
 * The one slot of chat completions for opaque state: `extra_content` of a tool call, which clients send
 * back unread. What one vendor puts there itself (`google.thought_signature`) is kept as it came. State
 * of other protocols stands under a name of our own: that of the call, and that of the thoughts before
 * it with their text, because their minter wants both back and clients drop thoughts.
 */
export function encodeCallState(
  state: Opaque | undefined,
  thoughts: readonly ReasoningPart[],
): JsonObject | undefined {
  if (state === undefined && thoughts.length === 0) return undefined;
  if (state !== undefined && isBare(state) && thoughts.length === 0) return asObject(parseWhole(state.value));
  return {
    [SLOT]: {
      ...(state === undefined ? {} : { state: wrapOpaque(state) }),
      ...(thoughts.length === 0 ? {} : { thoughts: thoughts.flatMap(wrapThought) }),
    },
  };
}

/** What a call's `extra_content` holds. */
export function decodeCallState(slot: unknown): {
  readonly state: Opaque | undefined;
  readonly thoughts: readonly ReasoningPart[];
} {
  const extra = asObject(slot);
  if (extra === undefined) return { state: undefined, thoughts: [] };
  const own = asObject(extra[SLOT]);
  if (own === undefined) return { state: bareState(extra), thoughts: [] };
  return {
    state: unwrapOpaque(asText(own["state"])),
    thoughts: asArray(own["thoughts"]).flatMap((word) => unwrapThought(asText(word))),
  };
}

/** State as a chat vendor wrote it: the object itself. */
function bareState(extra: JsonObject): Opaque | undefined {
  if (Object.keys(extra).length === 0) return undefined;
  return { origin: { protocol: "chat-completions" }, value: writeExact(extra) };
}

function isBare({ origin }: Opaque): boolean {
  return origin.protocol === "chat-completions" && origin.upstream === undefined;
}

function wrapThought({ text, redacted, opaque }: ReasoningPart): readonly string[] {
  if (opaque === undefined) return [];
  return [wrapOpaque({ ...opaque, value: JSON.stringify([text, redacted === true, opaque.value]) })];
}

function unwrapThought(word: string): readonly ReasoningPart[] {
  const opaque = unwrapOpaque(word);
  const [text, redacted, value] = asArray(opaque === undefined ? undefined : parseLoosely(opaque.value));
  if (opaque === undefined || typeof text !== "string" || typeof value !== "string") return [];
  return [
    { kind: "reasoning", text, ...(redacted === true ? { redacted } : {}), opaque: { ...opaque, value } },
  ];
}

const SLOT = "faregate";
