import { afterEach, expect, it, vi } from "vitest";
import { runCommandLine } from "./command-line.ts";

afterEach(() => vi.restoreAllMocks());

/** What is said to who misuses the command line. */
async function misusedBy(...args: string[]): Promise<string> {
  const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const code = await runCommandLine(args, () => expect.unreachable("no command runs"));
  expect(code).toBe(2);
  return String(said.mock.calls[0]?.[0]);
}

it.each([
  [["keys"], 'there is no command "keys", but "keys create"; see faregate keys --help'],
  [["keys", "list"], 'there is no command "keys list", but "keys create"; see faregate keys --help'],
  [
    ["leger", "verify"],
    'there is no command "leger verify", but "ledger verify"; see faregate ledger --help',
  ],
  [["aply", "f.yaml"], 'there is no command "aply f.yaml", but "apply"; see faregate apply --help'],
  [
    ["keys", "create", "--acount", "x"],
    "there is no option --acount, but --account (see faregate keys create --help)",
  ],
  [["start", "--tls"], "there is no option --tls (see faregate start --help)"],
  [["serve"], 'there is no command "serve"; see faregate --help'],
])("names what there is instead of %j", async (args, sentence) => {
  expect(await misusedBy(...args)).toBe(`faregate: ${sentence}`);
});
