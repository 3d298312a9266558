import type { ForeignPart } from "../../conversation/request.ts";
import { asObject, type JsonObject } from "../json.ts";

/** The sound of a spoken answer: its words are told as text, and for the rest other protocols have no slot. */
export function decodeAudio(message: JsonObject): readonly ForeignPart[] {
  const audio = asObject(message["audio"]);
  if (audio === undefined || !holdsAudio(message)) return [];
  const path = "choices[].message.audio";
  return [{ kind: "foreign", protocol: "chat-completions", value: { audio }, weight: "hint", path }];
}

/** Whether there is any sound, or the name of one: some servers write the field out with nothing in it. */
export function holdsAudio(message: JsonObject): boolean {
  const audio = asObject(message["audio"]) ?? {};
  return Object.values(audio).some((value) => Boolean(value));
}

/** The `audio` of a message or delta; undefined where the part is no sound. */
export function encodeAudio({ value }: ForeignPart): JsonObject | undefined {
  return asObject(value["audio"]);
}
