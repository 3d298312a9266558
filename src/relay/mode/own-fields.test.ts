import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withChanges } from "../../base/json/change-fields.ts";
import { changedFieldsOf, type FieldChanges } from "../../base/json/field-changes.ts";
import { createBodyScan } from "../../base/json/json-scan.ts";
import { splice } from "../../base/json/json-splice.ts";
import type { Upstream } from "../../catalog/catalog.ts";
import { type EndUser, withEndUser } from "../../conversation/lower/end-user.ts";
import type { ProtocolName } from "../../conversation/protocol-name.ts";
import type { JsonObject } from "../../conversation/request.ts";
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

  it("name what of the caller's they cut or replace, and nothing that they add", () => {
    const body = [Buffer.from('{"model":"m","user":"theirs","seed":7}')];
    const scanner = createBodyScan(watchOf("chat-completions"));
    for (const piece of body) scanner.write(piece);
    const request = { protocol: PROTOCOLS["chat-completions"], body, scan: scanner.end() };
    const options = {
      body: { set: { store: false, user: "ours" }, default: { seed: 8 }, remove: ["seed", "top_p"] },
    };
    const reason = "upstream-option";
    expect(ownChanges(request, { options } as unknown as Upstream).losses).toEqual([
      { path: "seed", reason },
      { path: "user", reason },
    ]);
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
          const lost = [...new Set(asked)].filter((name) => drop.includes(name) && !remove.includes(FIELD));
          const cut = remove.filter((name) => Object.hasOwn(given, name));
          expect(losses.map(({ path }) => path)).toEqual([...cut, ...told(lost)]);
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

const PLACES: readonly (readonly [ProtocolName, EndUser])[] = [
  ["chat-completions", { id: "e0", place: ["user"], paths: ["user", "safety_identifier"] }],
  ["responses", { id: "e0", place: ["safety_identifier"], paths: ["user", "safety_identifier"] }],
  ["messages", { id: "e0", place: ["metadata", "user_id"], paths: ["metadata.user_id"] }],
];

describe("the end user", () => {
  const names = ["user", "safety_identifier", "top_p"] as const;
  const metadata = fc.constantFrom<unknown>(
    null,
    {},
    { user_id: null },
    { user_id: "theirs" },
    { a: 1 },
    undefined,
  );
  const value = fc.constantFrom<unknown>(null, "theirs", undefined);
  const body = fc.record({ user: value, safety_identifier: value, top_p: value, metadata });
  const ways = fc.record({ user: way(), safety_identifier: way(), top_p: way(), metadata: way() });

  function way() {
    return fc.constantFrom("set", "default", "remove", "leave", "leave", "leave");
  }

  it("is named in a caller's bytes as in a body that the gateway writes, where nobody else is", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...PLACES),
        body,
        ways,
        fc.boolean(),
        ([name, endUser], fields, told, isSpaced) => {
          const named = (kind: string) =>
            [...names, "metadata" as const].filter((each) => told[each] === kind);
          const by = (kind: string) => Object.fromEntries(named(kind).map((each) => [each, { by: kind }]));
          const changes = { set: by("set"), default: by("default"), remove: named("remove") };
          const given = JSON.parse(JSON.stringify({ ...fields, model: "m" })) as JsonObject;
          const bytes = [Buffer.from(JSON.stringify(given, null, isSpaced ? 2 : 0))];
          const scanner = createBodyScan(watchOf(name, changedFieldsOf(changes)));
          for (const piece of bytes) scanner.write(piece);
          const request = { protocol: PROTOCOLS[name], body: bytes, scan: scanner.end() };
          const { edits } = ownChanges(
            request,
            { options: { body: changes } } as unknown as Upstream,
            endUser,
          );
          const sent = JSON.parse(Buffer.concat(splice(bytes, edits)).toString("utf8")) as JsonObject;
          expect(sent).toEqual(withEndUser(given, changes, endUser));
          const whole = JSON.stringify(sent);
          const saysNobody = !/"(theirs|set|default)"/.test(whole);
          if (saysNobody) expect(whole).toContain('"e0"');
        },
      ),
    );
  });

  it.each([
    ['{"model":"m"}', '{"user":"e0","model":"m"}'],
    ['{"model":"m", "user" : null}', '{"model":"m", "user" : "e0"}'],
    ['{"model":"m","user":"theirs"}', '{"model":"m","user":"theirs"}'],
    ['{"model":"m","safety_identifier":"theirs"}', '{"model":"m","safety_identifier":"theirs"}'],
  ])("in %s gives %s", (given, expected) => {
    const [[name, endUser]] = PLACES as [(typeof PLACES)[number]];
    const bytes = [Buffer.from(given)];
    const scanner = createBodyScan(watchOf(name));
    for (const piece of bytes) scanner.write(piece);
    const request = { protocol: PROTOCOLS[name], body: bytes, scan: scanner.end() };
    const { edits } = ownChanges(request, {} as Upstream, endUser);
    expect(Buffer.concat(splice(bytes, edits)).toString("utf8")).toBe(expected);
  });
});
