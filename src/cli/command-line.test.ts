import { afterEach, expect, it, vi } from "vitest";
import { runCommandLine } from "./command-line.ts";

afterEach(() => vi.restoreAllMocks());

/** The message for a misused command line. */
async function misusedBy(...args: string[]): Promise<string> {
  const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const code = await runCommandLine(args, () => expect.unreachable("no command runs"));
  expect(code).toBe(2);
  return String(said.mock.calls[0]?.[0]);
}

it.each([
  [
    ["keys"],
    'unknown command "keys"; did you mean "keys list" or "keys create" or "keys revoke"? See faregate keys --help',
  ],
  [
    ["keys", "lst"],
    'unknown command "keys lst"; did you mean "keys list" or "keys create" or "keys revoke"? See faregate keys --help',
  ],
  [
    ["leger", "verify"],
    'unknown command "leger verify"; did you mean "ledger verify"? See faregate ledger --help',
  ],
  [["aply", "f.yaml"], 'unknown command "aply f.yaml"; did you mean "apply"? See faregate apply --help'],
  [
    ["keys", "create", "--acount", "x"],
    "unknown option --acount; did you mean --account? (see faregate keys create --help)",
  ],
  [["start", "--tls"], "unknown option --tls (see faregate start --help)"],
  [
    ["reconcile", "costs.json", "--tolerance", "-1"],
    "--tolerance takes a value; write one that begins with a dash as --tolerance=VALUE (see faregate reconcile --help)",
  ],
  [["keys", "create", "--account"], "--account takes a value (see faregate keys create --help)"],
  [["ledger", "verify", "--json=1"], "--json takes no value (see faregate ledger verify --help)"],
  [["serve"], 'unknown command "serve"; see faregate --help'],
])("names what there is instead of %j", async (args, sentence) => {
  expect(await misusedBy(...args)).toBe(`faregate: ${sentence}`);
});

it("begins every line of a failure with its name", async () => {
  const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const readConfig = (): never => {
    throw new Error("f.yaml:1:1: one\nf.yaml:2:1: two");
  };
  expect(await runCommandLine(["migrate"], readConfig)).toBe(1);
  expect(said.mock.calls).toEqual([["faregate: f.yaml:1:1: one\nfaregate: f.yaml:2:1: two"]]);
});
