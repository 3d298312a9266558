import { describe, expect, it } from "vitest";
import { CHAT_PROTOCOLS, type ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { asObject } from "../../src/protocols/json.ts";
import { codecOf } from "../support/codec-of.ts";
import { target } from "../support/conversation-arbitraries.ts";
import { readRecordings } from "../support/recordings.ts";
import { REQUEST_SECTIONS } from "../support/translation-matrix/request-rows.ts";
import { LEAST } from "../support/translation-matrix/spoken.ts";

/** A field that no vendor has thought of yet. */
const NEW = "field_of_tomorrow";

/** Longer recordings say nothing more and take most of the time. */
const MOST_LETTERS = 20_000;

/** The caller's own: schemas, arguments, what a tool gave, labels. Whatever stands there is passed on. */
const CALLERS_OWN = new Set([
  ...["parameters", "schema", "input_schema"],
  ...["parametersJsonSchema", "parameters_json_schema", "responseSchema", "responseJsonSchema"],
  ...["args", "response", "metadata"],
]);

/** Goes as a whole or not at all: what the vendor wants back as it was, a grammar, and what says all by standing there. */
const AS_A_WHOLE =
  /reasoning_details\[\]|reasoning_text|tools\[\](\.custom)?\.format|\.caller|prompt_cache_breakpoint/;

describe("a field that nobody knows, in any object of a request", () => {
  it.each(CHAT_PROTOCOLS)("is told as lost, or refused, on the way from %s", (from) => {
    const silent = new Set<string>();
    let asked = 0;
    for (const sample of samplesOf(from)) {
      for (const { path, body } of withNewFields(sample)) {
        for (const to of CHAT_PROTOCOLS.filter((each) => each !== from)) {
          asked += 1;
          if (!isTold(from, to, path, body)) silent.add(`${path} toward ${to}`);
        }
      }
    }
    expect([...silent]).toEqual([]);
    expect(asked).toBeGreaterThan(1_000);
  });
});

function samplesOf(protocol: ChatProtocol): readonly object[] {
  const said = REQUEST_SECTIONS.flatMap(({ rows }) => rows).flatMap(({ says }) =>
    typeof says === "function" ? CHAT_PROTOCOLS.map((upstream) => says(upstream)) : [says],
  );
  const rows = said.flatMap(({ [protocol]: row }) =>
    row === undefined ? [] : [{ ...LEAST[protocol], ...row }],
  );
  const recorded = readRecordings()
    .filter((recording) => recording.protocol === protocol)
    .map(({ request }) => asObject(request))
    .filter((request) => request !== undefined)
    .filter((request) => JSON.stringify(request).length < MOST_LETTERS);
  return [...rows, ...recorded];
}

/** The request with a new field in each of its objects in turn, once for each path and kind. */
function* withNewFields(request: object): Generator<{ readonly path: string; readonly body: object }> {
  const count = [...objectsIn(request, "")].length;
  const seen = new Set<string>();
  for (let at = 0; at < count; at += 1) {
    const body = structuredClone(request);
    const [object, path] = [...objectsIn(body, "")][at] as [Record<string, unknown>, string];
    const kind = `${path} ${object["type"]}`;
    if (seen.has(kind) || AS_A_WHOLE.test(kind)) continue;
    seen.add(kind);
    object[NEW] = "x";
    yield { path, body };
  }
}

function* objectsIn(value: unknown, path: string): Generator<[object, string]> {
  if (Array.isArray(value)) {
    for (const item of value) yield* objectsIn(item, `${path}[]`);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  yield [value, path];
  for (const [key, inner] of Object.entries(value)) {
    const isArguments = key === "input" && !Array.isArray(inner);
    if (!CALLERS_OWN.has(key) && !isArguments) yield* objectsIn(inner, path === "" ? key : `${path}.${key}`);
  }
}

/** The field, or what it stands in, is among the losses, or the request is refused. */
function isTold(from: ChatProtocol, to: ChatProtocol, path: string, body: object): boolean {
  const read = codecOf(from).decodeRequest(body);
  if ("refused" in read) return true;
  const written = codecOf(to).encodeRequest(read.value, target(to, { maxOutputTokens: 100_000 }));
  if ("refused" in written) return true;
  return written.value.losses.some(({ path: lost }) => lost.endsWith(NEW) || isInside(path, lost));
}

function isInside(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`);
}
