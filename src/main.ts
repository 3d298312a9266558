import { runCommandLine } from "./cli/command-line.ts";
import { watchOutput } from "./cli/output.ts";
import { readConfig } from "./config.ts";

const output = watchOutput(process.stdout, process.stderr);
const code = await runCommandLine(process.argv.slice(2), readConfig);
// An explicit exit: a command that failed half-way must not be kept alive by what it had opened.
process.exit(output.exitCode(code));
