import type { ForeignPart } from "../../conversation/request.ts";
import { asObject, type JsonObject } from "../json.ts";

/** The audio of a spoken response: its transcript is the text, and other protocols have no slot for the rest. */
export function decodeAudio(message: JsonObject): readonly ForeignPart[] {
  const audio = asObject(message["audio"]);
  if (audio === undefined || !holdsAudio(message)) return [];
  const path = "choices[].message.audio";
  return [{ kind: "foreign", protocol: "chat-completions", value: { audio }, ifUnsupported: "drop", path }];
}

/** True if there is any audio, or an id of some: some servers write the field out with nothing in it. */
export function holdsAudio(message: JsonObject): boolean {
  const audio = asObject(message["audio"]) ?? {};
  return Object.values(audio).some((value) => Boolean(value));
}

/** The `audio` of a message or delta; undefined if the part is no audio. */
export function encodeAudio({ value }: ForeignPart): JsonObject | undefined {
  return asObject(value["audio"]);
}
