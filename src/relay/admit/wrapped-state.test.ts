import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ProtocolName } from "../../conversation/protocol-name.ts";
import { type Origin, WRAPPED_START, wrapOpaque } from "../../conversation/state/opaque.ts";
import { openStateSearch, type WrappedState } from "./wrapped-state.ts";

const origin = (upstream: string): Origin => ({ protocol: "messages", upstream, model: "m" });
const wrapped = (upstream: string): string => wrapOpaque({ origin: origin(upstream), value: "state" });

function find(body: Buffer[], protocol: ProtocolName): WrappedState | undefined {
  const search = openStateSearch(protocol);
  for (const chunk of body) search.write(chunk);
  return search.end();
}

const findWrappedState = (body: Buffer[]): WrappedState | undefined => find(body, "messages");

/** A body in chunks of this size. */
function chunks(body: unknown, size = 1_000_000): Buffer[] {
  const bytes = Buffer.from(JSON.stringify(body));
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

describe("wrapped state in a body", () => {
  it("is none where nothing has its marks", () => {
    expect(findWrappedState(chunks({ text: "one word is gw1.", signature: "abc" }))).toBeUndefined();
    expect(findWrappedState([])).toBeUndefined();
  });

  it("tells the minter of the latest, in a string as in the native slot's base64", () => {
    const base64 = Buffer.from(wrapped("c")).toString("base64");
    expect(findWrappedState(chunks([wrapped("a"), wrapped("b")]))).toEqual({ issuer: origin("b") });
    expect(find(chunks([wrapped("a"), base64]), "generate-content")).toEqual({ issuer: origin("c") });
    expect(find(chunks([wrapped("a"), base64]), "responses")).toEqual({ issuer: origin("a") });
  });

  it("tells the minter of hidden thoughts, whose codecs write something behind the state", () => {
    const hidden = `${wrapped("b")}.hidden`;
    const base64 = Buffer.from(hidden).toString("base64");
    expect(find(chunks([wrapped("a"), hidden]), "responses")).toEqual({ issuer: origin("b") });
    expect(find(chunks([wrapped("a"), base64]), "generate-content")).toEqual({ issuer: origin("b") });
  });

  it("looks past words of a prompt that only begin like it", () => {
    const words = [WRAPPED_START, `${WRAPPED_START}!!`, `${WRAPPED_START}nonsense`];
    expect(findWrappedState(chunks([wrapped("a"), ...words]))).toEqual({ issuer: origin("a") });
    expect(findWrappedState(chunks(words))).toEqual({ issuer: undefined });
    const many = [wrapped("a"), ...Array(100_000).fill(WRAPPED_START)];
    expect(findWrappedState(chunks(many))).toEqual({ issuer: undefined });
  });

  it("is carried by an empty signature, which names no minter", () => {
    expect(find(chunks({ signature: "" }), "messages")).toEqual({ issuer: undefined });
    expect(find(chunks({ signature: "" }), "responses")).toBeUndefined();
  });

  it("is found wherever chunks are cut", () => {
    fc.assert(
      fc.property(fc.integer({ min: 18, max: 400 }), fc.string(), (size, text) => {
        const body = chunks({ text, state: wrapped("a"), more: text }, size);
        expect(findWrappedState(body)).toEqual({ issuer: origin("a") });
      }),
    );
  });

  it("is carried by an empty signature wherever chunks are cut", () => {
    fc.assert(
      fc.property(fc.integer({ min: 18, max: 100 }), fc.string(), (size, text) => {
        expect(findWrappedState(chunks({ text, signature: "", more: text }, size))).toEqual({
          issuer: undefined,
        });
      }),
    );
  });

  it("never throws, whatever the bytes", () => {
    const piece = fc.oneof(fc.uint8Array(), fc.constantFrom(`"${WRAPPED_START}`, '"', WRAPPED_START, "gw1."));
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        findWrappedState(pieces.map((each) => Buffer.from(each as string)));
      }),
    );
  });
});
