import { changedFieldsOf, type FieldChanges } from "../../base/json/field-changes.ts";
import { createBodyScan } from "../../base/json/json-scan.ts";
import { type Edit, insertFields, removeMembers, replaceValue } from "../../base/json/json-splice.ts";
import type { Upstream } from "../../catalog/catalog.ts";
import { GatewayError } from "../../errors.ts";
import { watchOf } from "../admit/watch.ts";
import type { TextRequest } from "../text-request.ts";

type ScannedRequest = Pick<TextRequest, "protocol" | "body" | "scan">;

/** What an upstream's options change of a caller's bytes. */
export function ownEdits(request: ScannedRequest, { options }: Upstream): readonly Edit[] {
  if (options?.body === undefined) return NO_EDITS;
  const { set = {}, default: ifAbsent = {}, remove = [] } = options.body;
  const scan = scanFor(request, options.body);
  const found = (name: string) => {
    const all = scan.all(name);
    if (all.length === scan.count(name)) return all;
    throw new GatewayError("invalid_request", `\`${name}\` is given too often; send it once.`, {
      param: name,
    });
  };
  const isAbsent = ([name]: readonly [string, unknown]): boolean => scan.count(name) === 0;
  const added = [...Object.entries(set), ...Object.entries(ifAbsent)].filter(isAbsent);
  return [
    ...Object.entries(set).flatMap(([name, value]) =>
      found(name).map((field) => replaceValue(field, JSON.stringify(value))),
    ),
    ...removeMembers(request.body, remove.flatMap(found)),
    ...insertFields(
      scan,
      added.map(([name, value]) => [name, JSON.stringify(value)]),
    ),
  ];
}

const NO_EDITS: readonly Edit[] = [];

/** The request's own scan, unless the options are newer than it. */
function scanFor({ protocol, body, scan }: ScannedRequest, changes: FieldChanges): TextRequest["scan"] {
  const fields = changedFieldsOf(changes);
  if (fields.every((field) => scan.watches(field))) return scan;
  const scanner = createBodyScan(watchOf(protocol.name, fields));
  for (const piece of body) scanner.write(piece);
  return scanner.end();
}

/** The edits with those of the options, which win where they meet. */
export function withOwnEdits(edits: readonly Edit[], own: readonly Edit[]): Edit[] {
  const meets = (edit: Edit): boolean => own.some(({ start, end }) => edit.start < end && start < edit.end);
  return [...edits.filter((edit) => !meets(edit)), ...own];
}
