import { describe, expect, it } from "vitest";
import type { Message, Part } from "../../conversation/request.ts";
import { decodeContents, joinThoughts } from "./decode-contents.ts";

const thought = (text: string, value?: string): Part => ({
  kind: "reasoning",
  text,
  ...(value === undefined ? {} : { opaque: { origin: { protocol: "messages" }, value } }),
});
const said = (...parts: Part[]): Message => ({ role: "assistant", parts });
const text: Part = { kind: "text", text: "Hello" };

describe("joinThoughts", () => {
  it("makes one thought of the pieces that a state closes, over contents as within one", () => {
    const whole = [said(thought("ab", "s")), said(text)];
    expect(
      joinThoughts([said(thought("a")), said(thought("b")), said(thought("", "s")), said(text)]),
    ).toEqual(whole);
    expect(joinThoughts([said(thought("a"), thought("b"), thought("", "s")), said(text)])).toEqual(whole);
  });

  it("leaves alone what no state closes, what has a state of its own, and what words or a turn of the user part", () => {
    for (const messages of [
      [said(thought("a"), thought("b"), text)],
      [said(thought("a"), thought("b", "s"))],
      [said(thought("a"), text, thought("", "s"))],
      [said(thought("a")), { role: "user", parts: [text] } as const, said(thought("", "s"))],
    ]) {
      expect(joinThoughts(messages)).toEqual(messages);
    }
  });
});

describe("decodeContents", () => {
  it("reads neighbouring contents of the model as one turn, all of whose calls are answered by what follows", () => {
    const call = (id: string) => ({
      role: "model",
      parts: [{ functionCall: { id, name: "look", args: {} } }],
    });
    const response = (id: string) => ({ functionResponse: { id, name: "look", response: { output: id } } });
    const body = {
      contents: [
        { role: "user", parts: [{ text: "x" }] },
        call("c1"),
        call("c2"),
        { role: "model", parts: [{ text: "" }] },
        { role: "user", parts: [response("c1"), response("c2")] },
      ],
    };
    const messages = decodeContents({ value: body, path: "" }, []);
    expect(messages.map(({ role, parts }) => [role, ...parts.map(({ kind }) => kind)])).toEqual([
      ["user", "text"],
      ["assistant", "tool-call", "tool-call", "text"],
      ["user", "tool-result", "tool-result"],
    ]);
  });
});
