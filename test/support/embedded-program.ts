import { installationAt } from "../../src/storage/embedded/installation.ts";
import { openEmbedded } from "../../src/storage/embedded/open-embedded.ts";

/**
 * A program that opens the embedded database, for tests that need one to kill. Takes
 * { dataDir, role, packageRoot? } as JSON; says what happens in lines of JSON; SIGTERM closes it.
 */
const { dataDir, role, packageRoot } = JSON.parse(process.argv[2] ?? "{}") as {
  dataDir: string;
  role: "owner" | "guest";
  packageRoot?: string;
};
const say = (event: object) => process.stdout.write(`${JSON.stringify(event)}\n`);
const note = (_fields: object, message: string) => say({ event: "log", message });

try {
  const database = await openEmbedded({
    dataDir,
    role,
    log: { info: note, warn: note, error: note },
    onLost: (error) => say({ event: "lost", message: error.message }),
    ...(packageRoot === undefined ? {} : { installations: [await installationAt(packageRoot, dataDir)] }),
  });
  say({ event: "open", url: database.url, pid: database.pid() });
  const staying = setInterval(() => undefined, 60_000);
  process.once("SIGTERM", () => {
    clearInterval(staying);
    void database.close().then(() => say({ event: "closed" }));
  });
} catch (error) {
  say({ event: "refused", message: error instanceof Error ? error.message : String(error) });
  process.exitCode = 1;
}
