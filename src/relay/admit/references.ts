import type { FoundValue } from "../../base/json/json-scan.ts";
import { textAt } from "../../base/json/json-splice.ts";
import { normalizedUrl } from "../../base/text.ts";
import type { ProtocolName } from "../../conversation/protocol-name.ts";
import { isStoredFileUrl, type ReferenceRow } from "../../protocols/reference.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import type { TextRequest } from "../text-request.ts";

/** An id in a request of something that a vendor keeps. */
export interface Reference {
  /** The path in the caller's notation: `input[].id`. */
  readonly field: string;
  /** Undefined if the id is longer than any vendor's, or one of too many. */
  readonly id: string | undefined;
  /** It is the address of media, which goes along with them when a request is translated. */
  readonly isAddress: boolean;
}

export interface References {
  /** Each id once. */
  readonly ids: readonly Reference[];
  /** The references add content that isn't in the body, so that the body's length doesn't bound the model's input. */
  readonly addContent: boolean;
}

/** Returns the paths that a scan must watch to find references, besides the rule for bare objects. */
export function referencePaths(protocol: ProtocolName): readonly string[] {
  const { keepsResponse } = PROTOCOLS[protocol].forward.references;
  return [...placesOf(protocol).keys(), ...(keepsResponse?.fields ?? [])];
}

/** Reads the references of a request off its scan. Most have none, which costs a look at each field that was found. */
export function readReferences({
  protocol,
  scan,
  body,
}: Pick<TextRequest, "protocol" | "scan" | "body">): References {
  const places = placesOf(protocol.name);
  let found: Map<string, Reference> | undefined;
  let addContent = false;
  for (const path of scan.present) {
    const row = places.get(path);
    if (row === undefined) continue;
    const values = scan.all(path);
    const read = values.flatMap((value) =>
      value.type === "array" ? textsIn(value, body, row) : textOf(value, row),
    );
    const isWhole = values.length === scan.count(path);
    if (read.length === 0 && isWhole) continue;
    if (row.addsNothing !== true) addContent = true;
    found ??= new Map();
    for (const id of isWhole ? read : [...read, undefined]) {
      const { path: field, isAddress = false } = row;
      found.set(id ?? `\0${field}`, { field, id, isAddress });
    }
  }
  return found === undefined ? NONE : { ids: [...found.values()], addContent };
}

const NONE: References = { ids: [], addContent: false };

const compiled = new Map<ProtocolName, ReadonlyMap<string, ReferenceRow>>();

function placesOf(protocol: ProtocolName): ReadonlyMap<string, ReferenceRow> {
  let places = compiled.get(protocol);
  if (places === undefined) {
    const { rows } = PROTOCOLS[protocol].forward.references;
    places = new Map(rows.map((row) => [row.path.replaceAll("[]", ""), row]));
    compiled.set(protocol, places);
  }
  return places;
}

/** Only strings are ids; an object is the content itself. */
function textOf({ type, value, head }: FoundValue, row: ReferenceRow): (string | undefined)[] {
  if (type !== "string") return [];
  const isWhole = typeof value === "string";
  return idIn(isWhole ? value : head, isWhole, row);
}

function idIn(stated: string, isWhole: boolean, { isId, isAddress }: ReferenceRow): (string | undefined)[] {
  if (stated === "") return [];
  const text = isAddress === true ? normalizedUrl(stated) : stated;
  const isReference = isAddress === true ? isStoredFileUrl(text, isWhole) : isId?.(text, isWhole) !== false;
  return isReference ? [isWhole ? text : undefined] : [];
}

/**
 * Lists of ids are read from the body itself: they are short, and few requests have one. Some vendors take one id for a list of
 * one, and some a list of one for one id.
 */
function textsIn(list: FoundValue, body: readonly Buffer[], row: ReferenceRow): (string | undefined)[] {
  if (list.items === 0) return [];
  if (list.end - list.start > MAX_LIST_BYTES) return [undefined];
  const ids: unknown = JSON.parse(textAt(body, list));
  if (!Array.isArray(ids)) return [];
  return ids.flatMap((id) => (typeof id === "string" ? idIn(id, true, row) : []));
}

/** Vendors take 20 files and as many stores at most. */
const MAX_LIST_BYTES = 16 * 1024;
