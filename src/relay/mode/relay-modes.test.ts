import { describe, expect, it } from "vitest";
import { createBodyScan } from "../../base/json/json-scan.ts";
import type { Catalog, Model } from "../../catalog/catalog.ts";
import type { ProtocolName } from "../../conversation/protocol-name.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import type { Candidate } from "../../upstreams/call.ts";
import type { CallStates } from "../../upstreams/memory/call-states.ts";
import type { InlineMedia } from "../admit/inline-media.ts";
import { watchOf } from "../admit/watch.ts";
import type { TextRequest } from "../text-request.ts";
import { EndUsers } from "./end-users.ts";
import type { RelayMode } from "./relay-mode.ts";
import { maxCopies, RelayModes } from "./relay-modes.ts";
import type { Translator } from "./translator.ts";

function requestOf(n: number): TextRequest {
  const body = Buffer.from(JSON.stringify({ model: "m", n, messages: [{ role: "user", content: "Hi" }] }));
  const scanner = createBodyScan(watchOf("chat-completions"));
  scanner.write(body);
  return {
    id: "req_1",
    model: "m",
    streamed: false,
    responses: n,
    arrayStream: false,
    protocol: PROTOCOLS["chat-completions"],
    body: [body],
    scan: scanner.end(),
    caller: { group: "g", accountId: 1n },
  } as unknown as TextRequest;
}

function open(n: number, protocol: ProtocolName, quirks: object): RelayMode | Promise<RelayMode> {
  const model = { id: "m", maxOutputTokens: 100, quirks } as unknown as Model;
  const candidate = {
    protocol,
    model: "m",
    upstream: { name: "u", kind: "sandbox", signer: null, cost: null, unaskedTiers: [], region: null },
    credential: { id: 1n },
  } as unknown as Candidate;
  const inlineMedia = { begin: () => ({ inline: (request: unknown) => request, end: () => undefined }) };
  return new RelayModes(
    requestOf(n),
    model,
    {
      clock: { nowMs: () => 0, monotonicMs: () => 0 },
      inlineMedia: inlineMedia as unknown as InlineMedia,
      translator: {} as Translator,
      callStates: { find: () => new Map() } as unknown as CallStates,
      endUsers: new EndUsers(Buffer.from("secret")),
    },
    [],
  ).open(candidate);
}

function copiesHeld(n: number, protocols: readonly ProtocolName[], quirks: object): number {
  const catalog = { serving: () => protocols.map((name) => ({ protocols: [name] })) } as unknown as Catalog;
  return maxCopies(catalog, { id: "m", quirks } as unknown as Model, requestOf(n));
}

const sent = (mode: RelayMode | Promise<RelayMode>): object =>
  JSON.parse(Buffer.concat("pieces" in mode ? mode.pieces : []).toString());

describe("the way of a request for several answers", () => {
  it("is one request where the upstream's protocol and the model can make several", () => {
    expect(open(3, "chat-completions", {})).toMatchObject({ copies: 1 });
    expect(sent(open(3, "chat-completions", {}))).toMatchObject({ n: 3 });
    expect(copiesHeld(3, ["chat-completions"], {})).toBe(1);
  });

  it("is as many as the answers where the protocol makes one, and all of them are held for", () => {
    expect(open(3, "messages", {})).toMatchObject({ copies: 3 });
    expect(copiesHeld(3, ["chat-completions", "messages"], {})).toBe(3);
    expect(copiesHeld(100, ["messages"], {})).toBe(8);
    expect(copiesHeld(1, ["messages"], {})).toBe(1);
  });

  it("is as many within the protocol too where the catalog says that the model makes one", () => {
    const quirks = { many_answers: false };
    expect(open(3, "chat-completions", quirks)).toMatchObject({ copies: 3 });
    expect(sent(open(3, "chat-completions", quirks))).not.toHaveProperty("n");
    expect(open(1, "chat-completions", quirks)).toMatchObject({ copies: 1, contentType: undefined });
    expect(copiesHeld(3, ["chat-completions"], quirks)).toBe(3);
  });
});
