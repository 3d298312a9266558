import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FieldChanges } from "../../base/json/field-changes.ts";
import { withChanges } from "../../base/json/field-changes.ts";
import { createBodyScan } from "../../base/json/json-scan.ts";
import { splice } from "../../base/json/json-splice.ts";
import type { Upstream } from "../../catalog/catalog.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import { watchOf } from "../admit/watch.ts";
import { ownEdits } from "./own-fields.ts";

const NAMES = ["store", "metadata", "user", "seed", "top_p"] as const;

/** Disjoint, as a catalog file has them. */
const changes: fc.Arbitrary<FieldChanges> = fc
  .array(fc.constantFrom("set", "default", "remove", "leave"), {
    minLength: NAMES.length,
    maxLength: NAMES.length,
  })
  .map((ways) => {
    const named = (way: string) => NAMES.filter((_, at) => ways[at] === way);
    const values = (way: string) => Object.fromEntries(named(way).map((name) => [name, { by: way }]));
    return { set: values("set"), default: values("default"), remove: named("remove") };
  });

const bodies = fc.tuple(fc.subarray([...NAMES]), fc.boolean(), fc.nat(9)).map(([names, first, seed]) => {
  const fields = names.map((name, at) => [name, at + seed] as const);
  const needed = [
    ["model", "m"],
    ["messages", []],
  ] as const;
  return Object.fromEntries<unknown>(first ? [...needed, ...fields] : [...fields, ...needed]);
});

function changed(text: string, options: FieldChanges, watched: readonly string[]): string {
  const body = [Buffer.from(text)];
  const scanner = createBodyScan(watchOf("chat-completions", watched));
  for (const piece of body) scanner.write(piece);
  const request = { protocol: PROTOCOLS["chat-completions"], body, scan: scanner.end() };
  const edits = ownEdits(request, { options: { body: options } } as Upstream);
  return Buffer.concat(splice(body, edits)).toString("utf8");
}

describe("an upstream's changes of a body", () => {
  it("are the same in a caller's bytes as in a body that the gateway writes, whether or not the scan looked for them", () => {
    fc.assert(
      fc.property(bodies, changes, fc.boolean(), fc.boolean(), (body, options, isWatched, isSpaced) => {
        const text = JSON.stringify(body, null, isSpaced ? 2 : 0);
        const watched = isWatched ? [...NAMES] : [];
        expect(JSON.parse(changed(text, options, watched))).toEqual(withChanges(body, options));
      }),
    );
  });

  it("reach every field that is sent twice, and leave all other bytes as they are", () => {
    const text = '{"store":1, "model":"m" ,"store":2,"seed" : 1e400,"user":"a","user":"b"}';
    expect(changed(text, { set: { store: false }, remove: ["user"] }, [...NAMES])).toBe(
      '{"store":false, "model":"m" ,"store":false,"seed" : 1e400}',
    );
  });
});
