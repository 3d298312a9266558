import { z } from "zod";
import { fileSchema } from "./schema.ts";

/**
 * The JSON Schema of the catalog file, for completion in editors: faregate.schema.json, word for word. It
 * describes what is written, so amounts are numbers or text here.
 */
export function catalogFileJsonSchema(): string {
  const schema = z.toJSONSchema(fileSchema, { io: "input", target: "draft-2020-12", reused: "inline" });
  return `${JSON.stringify({ $id: "urn:faregate:catalog-file:1", ...schema }, null, 2)}\n`;
}
