import type { LossList } from "../loss.ts";
import type { JsonObject, ResponseFormat } from "../request.ts";

/**
 * The schema of an answer for a protocol that has no slot for the description beside it: the schema has
 * one of its own, which the model reads just so. Where that is taken, the other goes with a loss.
 */
export function describedSchema(
  { schema, description }: Extract<ResponseFormat, { kind: "schema" }>,
  losses: LossList,
): JsonObject {
  if (description === undefined || schema["description"] === description) return schema;
  if (schema["description"] === undefined) return { ...schema, description };
  losses.at(`${losses.nameOf("responseFormat")}.description`);
  return schema;
}
