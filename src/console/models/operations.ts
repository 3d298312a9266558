import { capabilityOf } from "../../families/capability.ts";
import type { ConsoleDeps } from "../deps.ts";
import { json, type Operation } from "../operation.ts";
import { accountCapabilities, accountModels } from "./contract.ts";
import { modelsOfGroup } from "./models-of-group.ts";

/** The models that an account may call, at its prices. */
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
    json({
      method: "GET",
      path: "/accounts/{account}/capabilities",
      policy: "viewer",
      tag: "models",
      summary: "Fields of the image and video models available to the account, as in /v1/capabilities",
      response: accountCapabilities,
      run: (call) => {
        const { group } = call.account();
        const listed = catalog.current().listed({ models: null, group });
        const described = listed.flatMap((model) => capabilityOf(model) ?? []);
        return {
          data: described.map(({ id, family, medium, submit, request }) => ({
            id,
            family,
            medium,
            submit,
            request,
          })),
        };
      },
    }),
  ];
}
