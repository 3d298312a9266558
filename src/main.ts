import { runCommandLine } from "./cli/command-line.ts";
import { readConfig } from "./config.ts";

// An explicit exit: a command that failed half-way must not be kept alive by what it had opened.
process.exit(await runCommandLine(process.argv.slice(2), readConfig));
