// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is what is tested here.
import { expect, it } from "vitest";
import { ManifestError } from "./file/problems.ts";
import { parseManifest } from "./file/read.ts";
import { ItemError, readModel } from "./file/read-item.ts";

/** Other ways of writing a number: the same digits would be another amount to another reader. */
const ODD = [
  "0x10",
  "0o17",
  "1e3",
  "1E3",
  "1e-9",
  ".5",
  "5.",
  "+1.5",
  "1_000",
  '"1,5"',
  '" 1.5 "',
  '"1e3"',
  "$1",
];

it.each(ODD)("an amount of a file is written in decimal digits, not as %s", (written) => {
  const places = [
    ["models[0].price.input", file({ price: written })],
    ["groups[0].factor", file({ factor: written })],
    ["accounts[0].balance", file({ balance: written })],
  ] as const;
  for (const [path, text] of places)
    expect(problemOf(text), path).toContain(`${path}: must be a plain decimal number, such as 0.15`);
});

it.each(["0x10", "1e3", ".5", "+7"])("any other number likewise: %s", (written) => {
  expect(problemOf(file({ context: written }))).toContain(
    `models[0].context_tokens: must be a number in decimal digits, not "${written}"`,
  );
});

it.each(["1e-7", "0x10", " 1.5", "1e3"])("an amount from the environment likewise: %s", (content) => {
  const text = "version: 1\ngroups:\n  - name: default\n    factor: ${FACTOR}\n";
  expect(problemOf(text, { FACTOR: content })).toContain("groups[0].factor: must be a plain decimal number");
});

it.each(["0x10", "1e3", " 1.5 ", "+1", ".5"])("an amount as text from the console likewise: %s", (input) => {
  const price = { input, output: 1 };
  const model = { id: "m", context_tokens: 1000, max_output_tokens: 100, price };
  expect(() => readModel(model, { groups: new Set(), models: new Set() })).toThrow(ItemError);
});

it("a number of JSON is its value, whatever its digits: clients write small ones with an exponent", () => {
  const price = { input: 1e-7, output: 100 };
  const model = { id: "m", context_tokens: 1000, max_output_tokens: 100, price };
  const { price: read } = readModel(model, { groups: new Set(), models: new Set() });
  expect(read?.rates).toMatchObject({ input: 100n, output: 100_000_000_000n });
});

function file({ price = "1", factor = "1", balance = "1", context = "1000" }): string {
  return `version: 1
groups: [{ name: default, factor: ${factor} }]
models: [{ id: m, context_tokens: ${context}, max_output_tokens: 100, price: { input: ${price}, output: 1 } }]
accounts: [{ name: a, balance: ${balance} }]`;
}

function problemOf(text: string, env: Readonly<Record<string, string>> = {}): string {
  try {
    parseManifest(text, env, "f.yaml");
    return "no problem";
  } catch (error) {
    if (error instanceof ManifestError) return error.message;
    throw error;
  }
}
