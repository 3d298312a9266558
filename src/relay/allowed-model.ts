import type { Catalog, Model } from "../catalog/catalog.ts";
import { GatewayError } from "../errors.ts";
import type { TextRequest } from "./text-request.ts";

/** The model, if this caller may use it on this endpoint; throws GatewayError. Unknown and forbidden look the same. */
export function allowedModel(
  catalog: Catalog,
  request: Pick<TextRequest, "model" | "caller" | "protocol">,
): Model {
  const model = catalog.callable(request.caller, request.model);
  if (model === undefined) {
    throw new GatewayError(
      "model_not_found",
      `The model '${request.model}' does not exist, or this key may not use it; see /v1/models.`,
      {
        param: "model",
      },
    );
  }
  if (!catalog.endpointsOf(model.id, request.caller.group).includes(request.protocol.name)) {
    throw new GatewayError(
      "unsupported_endpoint",
      `The model '${model.id}' is not served on this endpoint; /v1/models lists where it is (supported_endpoint_types).`,
      {
        param: "model",
      },
    );
  }
  return model;
}
