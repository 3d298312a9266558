import { describe, expect, it } from "vitest";
import { openLosses } from "../../src/conversation/loss.ts";
import { CHAT_PROTOCOLS } from "../../src/conversation/protocol-name.ts";
import type { ChatResponse } from "../../src/conversation/response.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import type { WireFrame } from "../../src/protocols/translation.ts";
import { eventsOf, frame } from "../support/conversation-arbitraries.ts";
import { streamFaults } from "../support/stream-grammar/stream-faults.ts";

const RESPONSE: ChatResponse = {
  model: "model-1",
  choices: [
    {
      parts: [
        { kind: "reasoning", text: "Hm, the weather." },
        { kind: "text", text: "Let me look." },
        { kind: "tool-call", id: "call_1", name: "weather", arguments: '{"city":"Bonn"}' },
        { kind: "tool-call", id: "call_2", name: "tide", arguments: "{}" },
      ],
      finish: { unified: "tool-calls", protocol: "messages" },
    },
  ],
  usage: { tokens: { inputUncached: 7, outputVisible: 9 }, hostile: [] },
};

/** What may go wrong in an encoder. Each breaks the grammar of every protocol. */
const BREAKS: Readonly<Record<string, (frames: readonly WireFrame[]) => readonly WireFrame[]>> = {
  "its end is missing": (frames) => frames.slice(0, -1),
  "its end comes twice": (frames) => [...frames, ...frames.slice(-1)],
  "it goes on after its end": (frames) => [...frames, ...frames.slice(0, 1)],
  "it is said twice": (frames) => [...frames, ...frames],
  "an event is no JSON": (frames) => frames.with(1, { data: "{" }),
  "an event has a name that it should not have": (frames) =>
    frames.with(1, { ...(frames[1] ?? { data: "" }), name: "other" }),
  "nothing is said": () => [],
};

describe.each(CHAT_PROTOCOLS)("the grammar of %s streams", (protocol) => {
  const run = PROTOCOLS[protocol].translation?.encodeStream(frame, openLosses({}));
  if (run === undefined) throw new Error("no codec");
  const audio = [...eventsOf(RESPONSE).flatMap((event) => run.step(event)), ...run.end()];

  it("finds nothing in a sound stream", () => {
    expect(streamFaults(protocol, audio)).toEqual([]);
  });

  it.each(Object.entries(BREAKS))("finds that %s", (_, broken) => {
    expect(streamFaults(protocol, broken(audio))).not.toEqual([]);
  });

  it("finds a start in its midst", () => {
    // Every event of the native protocol could be the first.
    if (protocol === "generate-content") return;
    expect(streamFaults(protocol, audio.slice(Math.floor(audio.length / 2)))).not.toEqual([]);
  });

  it("finds any event that is told in another's place", () => {
    // Events of these two are all of one kind.
    if (protocol === "chat-completions" || protocol === "generate-content") return;
    for (let at = 0; at < audio.length - 1; at += 1) {
      const [one, two] = [audio[at], audio[at + 1]];
      if (one === undefined || two === undefined || one.name === two.name) continue;
      const swapped = audio.with(at, two).with(at + 1, one);
      expect(streamFaults(protocol, swapped), `${one.name} after ${two.name}`).not.toEqual([]);
    }
  });
});
