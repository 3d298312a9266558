import type { Caller } from "../accounts/caller.ts";
import { GatewayError } from "../errors.ts";
import type { Catalog, Endpoint, Model } from "./catalog.ts";

/** Maximum number of a model name's characters that an error repeats: a name may be as long as a body. */
const MAX_NAME_CHARACTERS = 200;

/**
 * Returns the model if this caller may use it on this endpoint; otherwise throws GatewayError `model_not_found` or
 * `unsupported_endpoint`. Callers cannot tell a forbidden model from an unknown one.
 */
export function allowedModel(catalog: Catalog, caller: Caller, name: string, endpoint: Endpoint): Model {
  const model = catalog.callable(caller, name);
  if (model === undefined) throw modelNotFound(name, "model");
  if (!catalog.endpointsOf(model.id, caller.group).includes(endpoint)) {
    throw new GatewayError(
      "unsupported_endpoint",
      `The model '${name}' isn't available on this endpoint. /v1/models lists its endpoints (supported_endpoint_types).`,
      { param: "model" },
    );
  }
  return model;
}

export function modelNotFound(name: string, param: string): GatewayError {
  return new GatewayError(
    "model_not_found",
    `The model '${name.slice(0, MAX_NAME_CHARACTERS)}' doesn't exist, or this key may not use it. See /v1/models.`,
    { param },
  );
}
