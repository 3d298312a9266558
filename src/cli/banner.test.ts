import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Config } from "../config.ts";
import { printWelcome } from "./banner.ts";
import type { Welcome } from "./open-catalog.ts";

const NOTHING: Welcome = {
  firstKey: undefined,
  firstUser: undefined,
  sandboxUrl: undefined,
  chatModel: undefined,
  emptyAccount: undefined,
  asItIs: false,
};

let printed: string[];
beforeEach(() => {
  printed = [];
  vi.spyOn(console, "log").mockImplementation((text: string) => void printed.push(text));
});
afterEach(() => vi.restoreAllMocks());

function welcomed(welcome: Partial<Welcome>, config: Partial<Config> = {}): string {
  printWelcome(config as Config, "http://127.0.0.1:8080", { ...NOTHING, ...welcome });
  return printed.join("\n");
}

it("the welcome asks a model of the operator's own file, whatever its name", () => {
  const text = welcomed({ firstKey: "sk-1", chatModel: "it's one" });
  expect(text).toContain(
    String.raw`curl http://127.0.0.1:8080/v1/chat/completions -H 'Authorization: Bearer sk-1' -d '{"model":"it'\''s one","messages":`,
  );
});

it("the welcome lists the models where none chats", () => {
  expect(welcomed({})).toContain("curl http://127.0.0.1:8080/v1/models -H 'Authorization: Bearer <API_KEY>'");
});

it("the welcome says that a first key can spend nothing, and only then", () => {
  expect(welcomed({ firstKey: "sk-1" })).not.toContain("Balance");
  expect(welcomed({ firstKey: "sk-1", emptyAccount: "first" })).toContain(
    "Balance     account first has a zero balance",
  );
});

it("the welcome never prints a first key that the environment gave, but names the variable", () => {
  const text = welcomed({ firstKey: "sk-given", chatModel: "m" }, { bootstrapKey: "sk-given" });
  expect(text).not.toContain("sk-given");
  expect(text).toContain("API key     the one in FAREGATE_BOOTSTRAP_KEY");
  expect(text).toContain('-H "Authorization: Bearer $FAREGATE_BOOTSTRAP_KEY"');
  expect(welcomed({ firstKey: "sk-made" }, { bootstrapKey: undefined })).toContain("API key     sk-made");
});
