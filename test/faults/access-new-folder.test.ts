import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/command-line.ts";
import { complaints } from "../support/complaints.ts";
import { removeDataDir } from "../support/embedded.ts";
import { runFaregate } from "../support/gateway.ts";
import { runShort } from "../support/short-command.ts";

/** Commands that need a database, each as somebody would call it who mistyped FAREGATE_DATA_DIR. */
const NEED_ONE: Readonly<Record<string, readonly string[]>> = {
  prices: ["prices"],
  requests: ["requests", "req_1"],
  reconcile: ["reconcile", "FILE"],
  apply: ["apply", "FILE"],
  export: ["export"],
  "ledger verify": ["ledger", "verify"],
  "accounts credit": ["accounts", "credit", "acme", "5", "--reason", "invoice 7"],
  "accounts details": ["accounts", "details", "acme"],
  "budgets list": ["budgets", "list"],
  "keys list": ["keys", "list", "--account", "acme"],
  "keys create": ["keys", "create", "--account", "acme"],
  "keys revoke": ["keys", "revoke", "--account", "acme", "laptop"],
  users: ["users"],
  password: ["password", "admin@localhost"],
  "sign-in": ["sign-in"],
  "rotate-master-key": ["rotate-master-key"],
  doctor: ["doctor"],
  models: ["models", "vendor"],
  "stop-database": ["stop-database"],
};
/** Their exit code 1 is a finding. */
const TELL_BY_ONE = new Set(["ledger verify", "prices", "reconcile"]);
const MAKE_OR_NEED_NONE = ["start", "migrate", "sandbox"];

let above: string;
let dataDir: string;
beforeEach(async () => {
  above = await mkdtemp(join(tmpdir(), "faregate-new-"));
  dataDir = join(above, "tpyo");
});
afterEach(async () => {
  await removeDataDir(dataDir);
  await rm(above, { recursive: true, force: true });
});

it("knows every command", () => {
  expect(COMMANDS.map(({ name }) => name).sort()).toEqual(
    [...Object.keys(NEED_ONE), ...MAKE_OR_NEED_NONE].sort(),
  );
});

it.each(Object.keys(NEED_ONE))(
  "%s makes no folder and says that there is no database in it",
  async (name) => {
    const file = join(above, "faregate.yaml");
    await writeFile(file, "version: 1\n");
    const args = (NEED_ONE[name] ?? []).map((word) => (word === "FILE" ? file : word));
    const result = await runShort({ FAREGATE_DATA_DIR: dataDir }, ...args);
    expect(result.code).toBe(TELL_BY_ONE.has(name) ? 3 : 1);
    expect(`${result.stdout}${result.stderr}`).toContain(
      `there is no database in ${dataDir}; set FAREGATE_DATA_DIR to the data folder of your gateway, or create one: start a gateway, or run faregate migrate`,
    );
    expect(await readdir(above)).toEqual(["faregate.yaml"]);
  },
);

it("names a command line that works in a clone, and then there is a database", async () => {
  const run = (...args: string[]) => runFaregate({ FAREGATE_DATA_DIR: dataDir }, ...args);
  const [told = ""] = complaints(await run("export"));
  const line = /or run node (\S+) (\w+)$/.exec(told);
  expect(told).toMatch(/or run node \S*bin\/faregate\.js migrate$/);
  expect((await run(line?.[2] ?? "")).code).toBe(0);
  expect((await run("export")).code).toBe(0);
});

it("every command stands in the table of docs/operations.md", async () => {
  const page = await readFile(new URL("../../docs/operations.md", import.meta.url), "utf8");
  for (const { name } of COMMANDS) expect(page).toMatch(new RegExp(`^\\| \`faregate ${name}[ \`]`, "m"));
});
