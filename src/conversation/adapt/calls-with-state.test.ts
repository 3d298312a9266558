import { describe, expect, it } from "vitest";
import { bareRequest } from "../../../test/support/conversation-arbitraries.ts";
import { callKey, callsWithoutState, withCallStates } from "./calls-with-state.ts";

const opaque = { origin: { protocol: "messages" }, value: "s" } as const;
const call = (id: string, text = '{"at":"map","n":1}') =>
  ({ kind: "tool-call", id, name: "look", arguments: text }) as const;

describe("calls whose state is kept for them", () => {
  it("are known by what they say, however clients write it", () => {
    const name = callKey(call("c1"));
    expect(callKey(call("c1", '{ "n": 1.0, "at": "map" }'))).toBe(name);
    expect(callKey(call("c1", ""))).toBe(callKey(call("c1", "{}")));
    for (const other of [call("c2"), call("c1", '{"at":"map","n":2}'), { ...call("c1"), name: "see" }]) {
      expect(callKey(other)).not.toBe(name);
    }
    expect(callKey(call("c1", '{"at":'))).toBe(callKey(call("c1", '{"at":')));
  });

  it("are those of turns without any state, the latest of them", () => {
    const request = bareRequest({
      messages: [
        { role: "assistant", parts: [call("c1"), call("c2")] },
        { role: "assistant", parts: [{ ...call("c3"), opaque }, call("c4")] },
        { role: "assistant", parts: [{ kind: "reasoning", text: "Hm.", opaque }, call("c5")] },
        { role: "assistant", parts: [{ kind: "reasoning", text: "Hm." }, call("c6")] },
      ],
    });
    expect(callsWithoutState(request, 9).map(({ id }) => id)).toEqual(["c1", "c2", "c6"]);
    expect(callsWithoutState(request, 2).map(({ id }) => id)).toEqual(["c2", "c6"]);
    const states = new Map(["c1", "c4"].map((id) => [callKey(call(id)), opaque]));
    const [first, second] = withCallStates(request, states).messages;
    expect(first?.parts).toEqual([{ ...call("c1"), opaque }, call("c2")]);
    expect(second).toEqual(request.messages[1]);
  });
});
