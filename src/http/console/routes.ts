import type { Operation } from "../../console/operation.ts";
import { GatewayError } from "../../errors.ts";
import type { RequestContext } from "../core/endpoint.ts";
import type { Router } from "../core/router.ts";
import type { HttpDeps } from "../deps.ts";
import { callOf, hasBody, readInput } from "./call.ts";
import { admit, identityOf } from "./guard.ts";
import { serveOperation } from "./serve.ts";

/** The console's API below /api: one route for each operation's method and path. */
export function consoleRoutes(router: Router, deps: HttpDeps): void {
  for (const [path, operations] of byPath(deps.console.operations)) {
    const methods = operations.map(({ method }) => method);
    router.endpoint(methods, `/api${path.replace(/\{(\w+)\}/g, ":$1")}`, async (context) => {
      const operation = operations.find(({ method }) => method === context.request.method);
      if (operation === undefined) throw new GatewayError("not_found", "Operation not found.");
      await serve(deps, operation, context);
    });
  }
}

async function serve(deps: HttpDeps, operation: Operation, context: RequestContext): Promise<void> {
  const letIn = async () => {
    const identity = await identityOf(context.request.raw, deps.console);
    context.about.user = identity?.user.id;
    return { identity, account: await admit(operation, { identity, context, deps }) };
  };
  const before = await letIn();
  const input = await readInput(operation, context, { identity: before.identity, deps });
  // A body may come minutes after its head; what was taken away meanwhile counts.
  const admitted = hasBody(operation) ? await letIn() : before;
  await serveOperation(operation, context, callOf(operation, { ...input, ...admitted, context, deps }));
}

function byPath(operations: readonly Operation[]): Map<string, Operation[]> {
  const paths = new Map<string, Operation[]>();
  for (const operation of operations) {
    const same = paths.get(operation.path);
    if (same === undefined) paths.set(operation.path, [operation]);
    else same.push(operation);
  }
  return paths;
}
