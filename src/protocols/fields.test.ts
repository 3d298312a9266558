import { describe, expect, it } from "vitest";
import { z } from "zod";
import { PROTOCOL_NAMES, type ProtocolName } from "../conversation/protocol-name.ts";
import { chatCompletionsRequest } from "./chat-completions/wire.ts";
import { embeddingsRequest } from "./embeddings/wire.ts";
import { knownFields } from "./fields.ts";
import { generateContentRequest } from "./generate-content/wire.ts";
import { messagesRequest } from "./messages/wire.ts";
import { rerankRequest } from "./rerank/wire.ts";
import { responsesRequest } from "./responses/wire.ts";
import { PROTOCOLS } from "./table.ts";

const DESCRIBED: Readonly<Record<ProtocolName, z.ZodType>> = {
  "chat-completions": chatCompletionsRequest,
  responses: responsesRequest,
  messages: messagesRequest,
  "generate-content": generateContentRequest,
  embeddings: embeddingsRequest,
  rerank: rerankRequest,
};

/** The types of JSON that a schema allows beside null, "number" for whole ones too. */
function typesOf(schema: z.core.JSONSchema.BaseSchema): readonly string[] {
  const types = [schema.type ?? [], ...(schema.anyOf ?? []).map((each) => typesOf(each))].flat(2);
  const named = types.filter((type) => type !== "null").map((type) => (type === "integer" ? "number" : type));
  return [...new Set(named)].sort();
}

describe.each(PROTOCOL_NAMES)("the listed fields of a %s request", (name) => {
  const { forward } = PROTOCOLS[name];
  const schema = z.toJSONSchema(DESCRIBED[name], { io: "input", unrepresentable: "any" });
  const described = Object.entries(schema.properties ?? {}).map(([field, property]) => [
    field,
    typeof property === "boolean" ? [] : typesOf(property),
  ]);
  // The native protocol has a second spelling of each, which forwarding reads and nobody describes.
  const camel = (field: string): boolean => forward.modelInBody || !field.includes("_");

  it("are described with the types that forwarding allows", () => {
    const listed = Object.entries(forward.fields).flatMap(([field, types]) =>
      camel(field) ? [[field, [...types].sort()]] : [],
    );
    expect(Object.fromEntries(described)).toEqual(Object.fromEntries(listed));
  });
});

describe("the fields that a decoder knows", () => {
  it("are those that are listed and those that it reads besides, but for what it leaves to its own protocol", () => {
    const listed = { model: ["string"], store: ["boolean"], old_id: ["string"] } as const;
    const fields = { listed, decoded: ["user"], meaning: ["old_id", "audio"], passed: ["store"] };
    expect([...knownFields(fields)]).toEqual(["model", "user"]);
  });
});
