import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonFault } from "../../src/base/json/json-fault.ts";
import { replaceModel, splice } from "../../src/base/json/json-splice.ts";
import type { Watch } from "../../src/base/json/json-watch.ts";
import type { ProtocolName } from "../../src/conversation/protocol-name.ts";
import { readFeatures } from "../../src/protocols/body-features.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import { readReferences } from "../../src/relay/admit/references.ts";
import { watchOf } from "../../src/relay/admit/watch.ts";
import { casesOf } from "../support/cases.ts";
import { cutAt, cutPlaces, mustScan, scanChunks } from "./json-bodies.ts";

/*
 * Many servers read keys without regard to case, by simple folding of Unicode, and take the later of two:
 * https://pkg.go.dev/encoding/json#Unmarshal
 */

const PROTOCOL_NAMES = Object.keys(PROTOCOLS) as ProtocolName[];

/** Paths of which every occurrence counts. */
function pathsOf({ paths, few }: Watch): readonly string[] {
  return paths.filter((_, number) => !few.has(number));
}

/** A spelling of the name that differs in case only, never the name itself. */
function inOtherCase(name: string): fc.Arbitrary<string> {
  return fc
    .array(fc.nat(2), { minLength: name.length, maxLength: name.length })
    .map((ways) => [...name].map((letter, index) => inOneOf(letter, ways[index] ?? 0)).join(""))
    .filter((spelled) => spelled !== name);
}

function inOneOf(letter: string, way: number): string {
  if (way === 2) return { k: "\u212a", s: "\u017f" }[letter.toLowerCase()] ?? letter.toUpperCase();
  return way === 1 ? letter.toUpperCase() : letter;
}

/** The keys of one path, some of them in other case. */
interface Spelled {
  readonly path: string;
  readonly keys: readonly string[];
  readonly spelled: readonly string[];
}

function spelledPath(path: string): fc.Arbitrary<Spelled> {
  const names = path.replace("**.", "").split(".");
  const outer = path.startsWith("**.") ? ["an_object"] : [];
  const keys = [...outer, ...names.map((name) => (name === "*" ? "any_key" : name))];
  const others = keys.map((key, index) =>
    key === "any_key" || index < outer.length
      ? fc.constant(key)
      : fc.oneof(fc.constant(key), inOtherCase(key)),
  );
  return fc
    .tuple(...others)
    .map((spelled) => ({ path, keys, spelled }))
    .filter(({ spelled }) => spelled.some((key, index) => key !== keys[index]));
}

/** The members of an object, the last of the keys with the value. */
function nested(keys: readonly string[], value: string, isEscaped: boolean): string {
  return keys.reduceRight((inner, key, index) => {
    const text = isEscaped ? escaped(key) : JSON.stringify(key);
    return `${text}:${index === keys.length - 1 ? inner : `{${inner}}`}`;
  }, value);
}

function escaped(key: string): string {
  return `"${[...key].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")}"`;
}

const anyValue = fc.constantFrom('"priority"', '"file-1"', "128", "true", '["a"]', '{"b":1}');

describe.each(PROTOCOL_NAMES)("a body of %s", (name) => {
  const watch = watchOf(name);
  const spelledPaths = fc.oneof(...pathsOf(watch).map(spelledPath));

  it("with a field in other case is refused, or judged as if the field were spelled right", () => {
    fc.assert(
      fc.property(
        spelledPaths,
        anyValue,
        fc.boolean(),
        cutPlaces,
        ({ path, keys, spelled }, value, isEscaped, cuts) => {
          const body = Buffer.from(`{${nested(spelled, value, isEscaped)}}`);
          const scan = scanChunks(watch, cutAt(body, cuts));
          if (scan instanceof JsonFault) {
            expect(scan.kind).toBe("case");
            expect(spelled).toContain(scan.param);
            return;
          }
          expect(path).toMatch(/\*/);
          expect(scan.count(path)).toBe(1);
          const rightBody = Buffer.from(`{${nested(keys, value, false)}}`);
          const right = mustScan(watch, [rightBody]);
          const { hold } = PROTOCOLS[name].forward;
          const { images: _, requestedMedia: __, ...features } = readFeatures(hold, scan);
          expect(features).toMatchObject(plain(readFeatures(hold, right)));
          const protocol = PROTOCOLS[name];
          expect(readReferences({ protocol, scan, body: [body] })).toEqual(
            readReferences({ protocol, scan: right, body: [rightBody] }),
          );
        },
      ),
      { numRuns: casesOf(1_000) },
    );
  });

  it("with a field in both spellings is refused, or has it twice", () => {
    fc.assert(
      fc.property(spelledPaths, anyValue, fc.boolean(), ({ path, keys, spelled }, value, isFirst) => {
        const both = [nested(keys, value, false), nested(spelled, value, false)];
        const scan = scanChunks(watch, [Buffer.from(`{${(isFirst ? both.reverse() : both).join(",")}}`)]);
        if (scan instanceof JsonFault) expect(scan.kind).toBe("case");
        else expect(scan.count(path)).toBe(2);
      }),
      { numRuns: casesOf(500) },
    );
  });
});

/** Where callers write keys of their own. */
const FREE: Readonly<Record<string, (data: object) => object>> = {
  metadata: (metadata) => ({ metadata }),
  "the schema of a function": (properties) => ({
    tools: [{ type: "function", function: { name: "f", parameters: { type: "object", properties } } }],
  }),
  "the schema of a tool": (properties) => ({
    tools: [{ name: "f", type: "custom", input_schema: { properties }, parameters: { properties } }],
  }),
  "the schema of a declaration": (properties) => ({
    tools: [{ functionDeclarations: [{ name: "f", parameters: { properties } }] }],
  }),
  "the input of a tool": (input) => ({
    messages: [{ role: "assistant", content: [{ type: "tool_use", input }] }],
  }),
  "the arguments of a function": (args) => ({
    contents: [{ role: "model", parts: [{ functionCall: { args } }] }],
  }),
  "the response of a function": (response) => ({
    contents: [{ role: "user", parts: [{ functionResponse: { response } }] }],
  }),
  "the schema of the answer": (schema) => ({
    response_format: { json_schema: { schema } },
    text: { format: { schema } },
    output_config: { format: { schema } },
    generationConfig: { responseJsonSchema: schema },
  }),
  "variables of a prompt": (variables) => ({ prompt: { id: "p", variables } }),
  "fields of a document": (fields) => ({ documents: [fields] }),
};

describe.each(Object.entries(FREE))("%s", (_, bodyOf) => {
  it.each(PROTOCOL_NAMES)("may have any keys, in a body of %s", (name) => {
    const watch = watchOf(name);
    const names = fc.constantFrom(...watch.names);
    const key = names.chain(inOtherCase);
    const { data } = fc.letrec<{ data: object }>((tie) => ({
      data: fc.dictionary(key, fc.oneof({ maxDepth: 3 }, fc.constant("x"), fc.constant(1), tie("data")), {
        maxKeys: 4,
      }),
    }));
    fc.assert(
      fc.property(data, (own) => {
        const text = JSON.stringify({ model: "m", ...bodyOf(own) });
        const scan = mustScan(watch, [Buffer.from(text)]);
        expect(scan.count("model")).toBe(1);
        const sent = Buffer.concat(splice([Buffer.from(text)], replaceModel(scan, "other"))).toString();
        expect(sent).toBe(text.replace('"model":"m"', '"model":"other"'));
      }),
      { numRuns: casesOf(100) },
    );
  });
});

/** What does not tell where something stands. */
function plain(features: ReturnType<typeof readFeatures>): object {
  const { images: _, requestedMedia: __, hostedTools, ...rest } = features;
  return { ...rest, hostedTools: hostedTools.map(({ tool, place }) => ({ tool, place })) };
}
