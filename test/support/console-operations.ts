import { consoleOperations } from "../../src/console/console.ts";
import type { ConsoleDeps } from "../../src/console/deps.ts";
import type { Operation } from "../../src/console/operation.ts";

/** Every operation of the console as the table says, to be looked at and not run. */
export function listOperations(): readonly Operation[] {
  // Areas take parts out of what they are given and use them only when an operation runs.
  const nothing: unknown = new Proxy(() => nothing, {
    get: (_target, name) => (name === Symbol.toPrimitive ? () => "" : nothing),
  });
  return consoleOperations(nothing as ConsoleDeps);
}

/** A path that leads to nothing but the account: every other `{name}` is an id that nobody has. */
export function pathOf(operation: Operation, account: string): string {
  return operation.path.replace("{account}", account).replace(/\{\w+\}/g, "999999999999");
}
