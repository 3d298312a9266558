import type { ConsoleDeps } from "../deps.ts";
import { json, type Operation } from "../operation.ts";
import { accountModels } from "./contract.ts";
import { modelsOfGroup } from "./models-of-group.ts";

/** What an account may call, and what it costs there. */
export function modelsOperations({ catalog }: ConsoleDeps): readonly Operation[] {
  return [
    json({
      method: "GET",
      path: "/accounts/{account}/models",
      policy: "viewer",
      tag: "models",
      summary: "Models available to the account's group, with its prices",
      response: accountModels,
      run: (call) => modelsOfGroup(catalog.current(), call.account().group),
    }),
  ];
}
