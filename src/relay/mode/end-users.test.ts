import { describe, expect, it } from "vitest";
import type { AccountId } from "../../accounts/caller.ts";
import type { ProtocolName } from "../../conversation/protocol-name.ts";
import type { Candidate } from "../../upstreams/call.ts";
import { EndUsers } from "./end-users.ts";

const endUsers = new EndUsers(Buffer.from("secret"));
const at = (kind: string, protocol: ProtocolName, account = 7n, refuses?: ["user"]) => {
  const candidate = { upstream: { kind, options: { endUser: "account" } }, protocol };
  return endUsers.at(candidate as unknown as Candidate, account as AccountId, { refuses });
};

describe("whom a vendor is told of", () => {
  it.each([
    ["openai", "chat-completions", ["safety_identifier"]],
    ["openai", "responses", ["safety_identifier"]],
    ["openai", "embeddings", ["user"]],
    ["openai-compatible", "chat-completions", ["user"]],
    ["anthropic", "messages", ["metadata", "user_id"]],
  ] as const)("stands at %s %s in %s", (kind, protocol, place) => {
    expect(at(kind, protocol)?.place.filter((name) => name !== undefined)).toEqual(place);
  });

  it("is nobody where the protocol has no place or the model refuses one", () => {
    expect(at("gemini", "generate-content")).toBeUndefined();
    expect(at("openai-compatible", "chat-completions", 7n, ["user"])).toBeUndefined();
  });

  it("is an id of the account that is the same everywhere, another for each, and says nothing", () => {
    const [one, again, other] = [
      at("openai", "responses"),
      at("anthropic", "messages"),
      at("openai", "responses", 8n),
    ];
    expect(one?.id).toMatch(/^[0-9a-f]{32}$/);
    expect(again?.id).toBe(one?.id);
    expect(other?.id).not.toBe(one?.id);
    const elsewhere = new EndUsers(Buffer.from("another secret"));
    const candidate = {
      upstream: { kind: "openai", options: { endUser: "account" } },
      protocol: "responses",
    };
    expect(elsewhere.at(candidate as unknown as Candidate, 7n as AccountId, {})?.id).not.toBe(one?.id);
  });
});
