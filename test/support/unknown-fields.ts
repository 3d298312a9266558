import { CHAT_PROTOCOLS, type ChatProtocol } from "../../src/conversation/protocol-name.ts";
import { codecOf } from "./codec-of.ts";
import { target } from "./conversation-arbitraries.ts";

/** A field that no vendor has thought of yet. */
const NEW = "field_of_tomorrow";

/** The caller's own: schemas, arguments, what a tool gave, labels. Whatever stands there is passed on. */
const CALLERS_OWN = new Set([
  ...["parameters", "schema", "input_schema"],
  ...["parametersJsonSchema", "parameters_json_schema", "responseSchema", "responseJsonSchema"],
  ...["args", "response", "metadata"],
]);

/** Goes as a whole or not at all: what the vendor wants back as it was, a grammar, and what says all by standing there. */
const AS_A_WHOLE =
  /reasoning_details\[\]|reasoning_text|tools\[\](\.custom)?\.format|\.caller|prompt_cache_breakpoint/;

/** What becomes of a field that nobody knows, put into any object of these requests. */
export function askUnknown(
  from: ChatProtocol,
  samples: readonly object[],
): { readonly asked: number; readonly silent: readonly string[] } {
  const silent = new Set<string>();
  let asked = 0;
  for (const sample of samples) {
    for (const { path, body } of withNewFields(sample)) {
      for (const to of CHAT_PROTOCOLS.filter((each) => each !== from)) {
        asked += 1;
        if (!isTold(from, to, path, body)) silent.add(`${path} toward ${to}`);
      }
    }
  }
  return { asked, silent: [...silent] };
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
