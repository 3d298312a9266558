import { setField } from "../../src/base/json/record.ts";
import { CHAT_PROTOCOLS, type ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { pathOf } from "../../src/protocols/fields.ts";
import { codecOf } from "./codec-of.ts";
import { target } from "./conversation-arbitraries.ts";

/** A field that no vendor has thought of yet. */
const NEW = "field_of_tomorrow";

/** What is in it, by which it is known again. */
const CANARY = "canary_of_tomorrow";

/** The caller's own: schemas, arguments, what a tool gave, labels. Whatever stands there is passed on. */
const CALLERS_OWN = new Set([
  ...["parameters", "schema", "input_schema"],
  ...["parametersJsonSchema", "parameters_json_schema", "responseSchema", "responseJsonSchema"],
  ...["args", "response", "metadata"],
]);

/** Goes as a whole or not at all: what the vendor wants back as it was, a grammar, and what says all by standing there. */
const AS_A_WHOLE =
  /reasoning_details\[\]|reasoning_text|tools\[\](\.custom)?\.format|\.caller|prompt_cache_breakpoint/;

/** What becomes of a field that nobody knows, put into any object of these requests under this name. */
export function askUnknown(
  from: ChatProtocol,
  samples: readonly object[],
  name: string = NEW,
): { readonly asked: number; readonly silent: readonly string[] } {
  const silent = new Set<string>();
  let asked = 0;
  for (const sample of samples) {
    for (const { path, body } of withNewFields(sample, name)) {
      for (const to of CHAT_PROTOCOLS) {
        asked += 1;
        if (!isTold(from, to, { path, name }, body)) silent.add(`${path} toward ${to}`);
      }
    }
  }
  return { asked, silent: [...silent] };
}

/** The request with a new field in each of its objects in turn, once for each path and kind. */
function* withNewFields(
  request: object,
  name: string,
): Generator<{ readonly path: string; readonly body: object }> {
  const count = [...objectsIn(request, "")].length;
  const seen = new Set<string>();
  for (let at = 0; at < count; at += 1) {
    const body = structuredClone(request);
    const [object, path] = [...objectsIn(body, "")][at] as [Record<string, unknown>, string];
    const kind = `${path} ${object["type"]}`;
    if (seen.has(kind) || AS_A_WHOLE.test(kind)) continue;
    seen.add(kind);
    setField(object, name, { [CANARY]: true });
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

/** The field, or what it stands in, is among the losses, or the request is refused; or it is where it was, for its own protocol. */
function isTold(
  from: ChatProtocol,
  to: ChatProtocol,
  { path, name }: { readonly path: string; readonly name: string },
  body: object,
): boolean {
  const read = codecOf(from).decodeRequest(body);
  if ("refused" in read) return true;
  const written = codecOf(to).encodeRequest(read.value, target(to, { maxOutputTokens: 100_000 }));
  if ("refused" in written) return true;
  expectPlain(written.value.body);
  if (from === to && carries(written.value.body, body, name)) return true;
  const told = pathOf({ value: {}, path: "" }, name).replaceAll(/\[\d+\]/g, "[]");
  return written.value.losses.some(({ path: lost }) => lost.endsWith(told) || isInside(path, lost));
}

/** True if the field stands where it stood; of a list, in any of its items. */
function carries(written: unknown, sent: unknown, name: string): boolean {
  const found = placesOf(written, name).map(unwrapped);
  return placesOf(sent, name).every((place) => found.includes(unwrapped(place)));
}

/** A message of the system in the middle of a conversation is written as a block, with its own blocks as content. */
function unwrapped(place: string): string {
  return place.replace("/messages/content/content", "/messages/content");
}

function placesOf(value: unknown, name: string, place = ""): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === name && isCanary(inner)
      ? [place]
      : placesOf(inner, name, Array.isArray(value) ? place : `${place}/${key}`),
  );
}

function isCanary(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, CANARY);
}

/** No object of what is written has fields that it does not own. */
function expectPlain(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if (CANARY in value && !Object.hasOwn(value, CANARY))
    throw new Error("a field became an object's prototype");
  for (const inner of Object.values(value)) expectPlain(inner);
}

function isInside(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`);
}
