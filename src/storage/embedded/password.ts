import { spawn } from "node:child_process";
import { chmod, chown, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { randomText } from "../../base/random.ts";
import type { Cluster } from "./cluster.ts";
import { DATABASE_USER, SERVER_ENVIRONMENT } from "./settings.ts";

/**
 * The server's user has a password, made here and kept in the data folder for the gateway's user alone. A socket
 * in a folder of mode 0700 is not enough: for root the server runs as nobody, and so do other services.
 */
export async function readPassword(dataDir: string): Promise<string | undefined> {
  const password = (await readFile(pathIn(dataDir), "utf8").catch(() => "")).trim();
  return password === "" ? undefined : password;
}

/**
 * Makes the files of a database refuse everyone without the password, also files whose rules or password were lost.
 * Call under the start lock while no server runs on them.
 */
export async function protectCluster(cluster: Cluster, dataDir: string): Promise<void> {
  const rules = join(cluster.folder, "pg_hba.conf");
  const known = await readPassword(dataDir);
  if (known !== undefined && (await readFile(rules, "utf8").catch(() => "")) === RULES) return;
  const password = known ?? randomText(PASSWORD_CHARACTERS);
  await setPassword(cluster, password);
  await writeFile(rules, RULES);
  if (process.getuid?.() === 0) await chown(rules, cluster.identity.owner.uid, cluster.identity.owner.gid);
  await chmod(rules, 0o600);
  // Last, and whole or not at all: a run that was cut short is seen as not done.
  const unfinished = `${pathIn(dataDir)}.new`;
  await writeFile(unfinished, `${password}\n`, { mode: 0o600 });
  await rename(unfinished, pathIn(dataDir));
}

/** Forgets a password that the server does not take, as after a restored backup: the next start makes another. */
export function forgetPassword(dataDir: string): Promise<void> {
  return rm(pathIn(dataDir), { force: true });
}

const pathIn = (dataDir: string): string => join(dataDir, "database-password");

/** 250 bits. */
const PASSWORD_CHARACTERS = 42;

const RULES = `# Written by faregate at each start.
local all all scram-sha-256
`;

/** Sets the password in the server's own single-user mode, which needs none. */
function setPassword({ folder, installation, identity }: Cluster, password: string): Promise<void> {
  const settings = ["-c", "log_min_error_statement=panic", "-c", "password_encryption=scram-sha-256"];
  const command = identity.command(join(installation.binFolder, "postgres"), [
    ...["--single", "-D", folder, ...settings, "postgres"],
  ]);
  return new Promise((resolve, reject) => {
    const child = spawn(command.file, command.args, {
      ...command.identity,
      cwd: folder,
      env: SERVER_ENVIRONMENT,
      stdio: ["pipe", "ignore", "pipe"],
    });
    let complaints = "";
    child.stderr.on("data", (chunk: Buffer) => {
      complaints += chunk;
    });
    child.stdin.on("error", () => undefined); // its end says why
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0 && !/\b(ERROR|FATAL|PANIC):/.test(complaints)) resolve();
      else reject(new Error(`The database's password could not be set: ${complaints.trim().slice(-500)}`));
    });
    child.stdin.end(`alter role ${DATABASE_USER} password '${password}'\n`);
  });
}
