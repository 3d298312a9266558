import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FieldChanges } from "../../base/json/field-changes.ts";
import { withChanges } from "../../base/json/field-changes.ts";
import { createBodyScan } from "../../base/json/json-scan.ts";
import { splice } from "../../base/json/json-splice.ts";
import type { Upstream } from "../../catalog/catalog.ts";
import type { ProtocolName } from "../../conversation/protocol-name.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import type { Candidate } from "../../upstreams/call.ts";
import { watchOf } from "../admit/watch.ts";
import { betaLosses, ownChanges } from "./own-fields.ts";

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
  const { edits } = ownChanges(request, { options: { body: options } } as Upstream);
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

const BETAS = ["a-2025-01-01", "b-2025-02-02", "c-2025-03-03"] as const;
const FIELD = "anthropic_beta";

describe("betas that an upstream's options leave out", () => {
  const told = (names: readonly string[]) => names.map((name) => `anthropic-beta:${name}`);

  it("are taken out of the list in the body, next to whatever else is changed, and named", () => {
    const removable = fc.subarray([...NAMES, FIELD]);
    const lists = fc.array(fc.constantFrom(...BETAS), { maxLength: 5 });
    fc.assert(
      fc.property(
        bodies,
        lists,
        fc.subarray([...BETAS], { minLength: 1 }),
        removable,
        fc.nat(9),
        (rest, asked, drop, remove, at) => {
          const fields = Object.entries(rest);
          const given = Object.fromEntries(fields.toSpliced(at, 0, [FIELD, asked]));
          const body = [Buffer.from(JSON.stringify(given))];
          const scanner = createBodyScan(watchOf("messages"));
          for (const piece of body) scanner.write(piece);
          const options = { body: { remove }, betas: { drop } };
          const upstream = { options } as unknown as Upstream;
          const request = { protocol: PROTOCOLS.messages, body, scan: scanner.end() };
          const { edits, losses } = ownChanges(request, upstream);
          const sent = asked.filter((name) => !drop.includes(name));
          const expected: Record<string, unknown> = { ...given, [FIELD]: sent };
          if (sent.length === 0 && asked.length > 0) delete expected[FIELD];
          for (const name of remove) delete expected[name];
          expect(JSON.parse(Buffer.concat(splice(body, edits)).toString("utf8"))).toEqual(expected);
          const lost = drop.filter((name) => asked.includes(name) && !remove.includes(FIELD));
          expect(losses.map(({ path }) => path)).toEqual(told(lost));
        },
      ),
    );
  });

  it("are named where a header asks for them and the upstream's protocol has betas", () => {
    const upstream = { options: { betas: { drop: [BETAS[0]] } } };
    const at = (protocol: ProtocolName) => ({ upstream, protocol }) as unknown as Candidate;
    const request = { headers: { betas: BETAS.join(",") } };
    expect(betaLosses(request, at("messages")).map(({ path }) => path)).toEqual(told([BETAS[0]]));
    expect(betaLosses(request, at("chat-completions"))).toEqual([]);
  });

  it("are refused in a list that is longer than any vendor's", () => {
    const body = [Buffer.from(JSON.stringify({ [FIELD]: Array(10_000).fill("a"), model: "m" }))];
    const scanner = createBodyScan(watchOf("messages"));
    for (const piece of body) scanner.write(piece);
    const request = { protocol: PROTOCOLS.messages, body, scan: scanner.end() };
    const upstream = { options: { betas: { drop: ["a"] } } } as unknown as Upstream;
    expect(() => ownChanges(request, upstream)).toThrow("too long");
  });
});
