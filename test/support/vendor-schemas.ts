import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "yaml";
import type { ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { discoveryJudge } from "./discovery-schema.ts";
import { fixture } from "./fixtures.ts";

/** Judges wire bodies by the vendor's published schema; each answers what is wrong, [] where nothing is. */
export interface VendorSchema {
  request(body: unknown): readonly string[];
  response(body: unknown): readonly string[];
  /** The data of one event of a stream; its terminal word and its errors are no matter of schemas. */
  event(data: unknown): readonly string[];
}

export function openVendorSchema(protocol: ChatProtocol): VendorSchema {
  return OPEN[protocol]();
}

const OPEN: Readonly<Record<ChatProtocol, () => VendorSchema>> = {
  "chat-completions"() {
    const { judge } = openSpec("openai-openapi.yml");
    return {
      request: (body) => judge("CreateChatCompletionRequest", body),
      response: (body) => judge("CreateChatCompletionResponse", body),
      event: (data) => judge("CreateChatCompletionStreamResponse", data),
    };
  },

  responses() {
    const { judge, schemas } = openSpec("openai-openapi.yml");
    const events = new Map(
      Object.entries(schemas)
        .filter(([name]) => /^Response.*Event$/.test(name))
        .map(([name, { properties }]) => [properties?.type?.enum?.[0], name]),
    );
    return {
      request: (body) => judge("CreateResponse", body),
      response: (body) => judge("Response", body),
      event(data) {
        const { type } = data as { type?: string };
        const name = events.get(type);
        return name === undefined ? [`${type} is no event`] : judge(name, data);
      },
    };
  },

  messages() {
    const { judge } = openSpec("anthropic-openapi.yml");
    return {
      request: (body) => judge("CreateMessageParams", body),
      response: (body) => judge("Message", body),
      event: (data) => judge("MessageStreamEvent", data),
    };
  },

  "generate-content"() {
    const judge = discoveryJudge();
    const response = (body: unknown): readonly string[] => judge("GenerateContentResponse", sent(body));
    return { request: (body) => judge("GenerateContentRequest", sent(body)), response, event: response };
  },
};

type Schemas = Record<string, { required?: string[]; properties?: { type?: { enum?: readonly string[] } } }>;

/** Specifications take seconds to read and compile; the tests of one file share them. */
const opened = new Map<string, ReturnType<typeof openSpec>>();

function openSpec(name: string): {
  readonly schemas: Schemas;
  judge(schema: string, value: unknown): readonly string[];
} {
  const known = opened.get(name);
  if (known !== undefined) return known;
  const { components } = parse(readFileSync(fixture(`specs/${name}`), "utf8"));
  const schemas = modern(components.schemas) as Schemas;
  // The vendor of messages writes null there, which a widely used client refuses: absent is what both read.
  const cited = schemas["ResponseTextBlock"];
  if (cited !== undefined) cited.required = ["type", "text"];
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: "vendor", components: { schemas } });
  const spec = {
    schemas,
    judge(schema: string, value: unknown): readonly string[] {
      const validate = ajv.getSchema(`vendor#/components/schemas/${schema}`);
      if (validate === undefined) throw new Error(`no schema ${schema}`);
      if (validate(sent(value)) === true) return [];
      return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
    },
  };
  opened.set(name, spec);
  return spec;
}

/**
 * The schemas as they are meant: alternatives overlap, so that what fits one may fit two; and `nullable`,
 * of an older age of schemas, means "or null" in the newer.
 */
function modern(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(modern);
  if (typeof value !== "object" || value === null) return value;
  const { nullable, ...rest } = value as Record<string, unknown>;
  const schema = Object.fromEntries(
    Object.entries(rest).map(([key, each]) => [key === "oneOf" ? "anyOf" : key, modern(each)]),
  );
  if (nullable === undefined) return schema;
  return nullable === true
    ? { anyOf: [schema, { type: "null" }] }
    : { ...schema, ...(typeof nullable === "object" ? { nullable: modern(nullable) } : {}) };
}

/** The value as it is on the wire. */
function sent(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
