import type { ConsoleDeps } from "./deps.ts";
import type { Operation } from "./operation.ts";
import { consoleOperations } from "./table.ts";

/** The account and admin API behind the dashboard, for http to serve. */
export interface Console extends Pick<ConsoleDeps, "people" | "database" | "publicUrl"> {
  readonly operations: readonly Operation[];
}

export function createConsole(deps: ConsoleDeps): Console {
  const { people, database, publicUrl } = deps;
  return { people, database, publicUrl, operations: consoleOperations(deps) };
}
