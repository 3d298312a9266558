import fc from "fast-check";
import { expect, it } from "vitest";
import { z } from "zod";
import { listOperations } from "../../../test/support/console-operations.ts";
import type { Operation } from "../../console/operation.ts";
import type { RequestContext } from "../core/endpoint.ts";
import { readInput } from "./call.ts";

/** The validator's own words, which are a programmer's. */
const RAW =
  /Invalid|Unrecognized|Too (small|big)|expected|received|regex|undefined|NaN|[Uu]nion|discriminator|must be a valid/;

async function refusalOf(operation: Operation, query: unknown): Promise<string> {
  const context = { request: { params: {}, query } } as unknown as RequestContext;
  const asked = { ...operation, kind: "json", body: undefined, upload: undefined } as unknown as Operation;
  return readInput(asked, context, {} as never).then(
    () => "",
    (error: Error) => error.message,
  );
}

const value = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(
    "",
    "x",
    "-1",
    "1e3",
    "0",
    -1,
    1.5,
    1e300,
    null,
    true,
    [],
    {},
    [[]],
    "http://",
    "x".repeat(9_999),
  ),
  fc.constant(undefined),
);

it("what the console refuses of any body or query is said in plain words", async () => {
  for (const operation of listOperations()) {
    const { query, ...rest } = operation;
    for (const schema of [query, "body" in rest ? rest.body : undefined]) {
      if (schema === undefined) continue;
      const names = namesOf(schema);
      const given = fc.oneof(
        { weight: 1, arbitrary: value },
        { weight: 4, arbitrary: fc.dictionary(fc.constantFrom("unknown", ...names), value, { maxKeys: 6 }) },
      );
      // The body's schema is read where the query's would be: both by the one reader.
      await fc.assert(
        fc.asyncProperty(given, async (sent) => {
          const said = await refusalOf({ ...operation, query: schema } as Operation, sent);
          expect(said, `${operation.method} ${operation.path}: ${JSON.stringify(sent)}`).not.toMatch(RAW);
        }),
        { numRuns: 60 },
      );
    }
  }
});

it("names the field, what it must be, and what was meant", async () => {
  const query = z.strictObject({
    name: z.string().min(1),
    limit: z.object({ amount_nanos: z.string() }).optional(),
    rows: z.coerce.number().int().max(200).optional(),
  });
  const said = (sent: object) => refusalOf({ query, kind: "json" } as unknown as Operation, sent);
  expect(await said({})).toBe("`name` is required.");
  expect(await said({ name: "" })).toBe("name: must not be empty");
  expect(await said({ name: "a", limit: {} })).toBe("`limit.amount_nanos` is required.");
  expect(await said({ name: "a", rows: "many" })).toBe("rows: must be a number");
  expect(await said({ name: "a", rows: 201 })).toBe("rows: must be at most 200");
  expect(await said({ name: "a", limt: {} })).toBe(
    'limt: unknown key "limt"; allowed: name, limit, rows; did you mean limit?',
  );
});

/** The names of a body's fields, at any depth. */
function namesOf(schema: z.ZodType): string[] {
  const text = JSON.stringify(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
  return [...new Set(Array.from(text.matchAll(/"properties":\{|"(\w+)":\{/g), ([, name]) => name ?? "x"))];
}
