import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";
import { openApi } from "../../src/http/openapi/document.ts";
import { listOperations } from "./console-operations.ts";

type Json = Readonly<Record<string, unknown>>;

/** The file of the types with which the pages call the console. */
export const API_TYPES = fileURLToPath(new URL("../../dashboard/generated/api.d.ts", import.meta.url));

/**
 * The types of the console's operations as the document at /openapi.json says: paths, queries, bodies and successful answers.
 * Without its sentences, so that a reworded one changes no type.
 */
export async function apiTypes(): Promise<string> {
  const document = openApi("", listOperations()) as { readonly paths: Readonly<Record<string, Json>> };
  const paths = Object.entries(document.paths).filter(([path]) => path.startsWith("/api/"));
  const console = {
    ...document,
    paths: Object.fromEntries(paths.map(([path, item]) => [path, ofSuccess(item)])),
  };
  const tree = await openapiTS(JSON.stringify(console, withoutSentences), { defaultNonNullable: false });
  return astToString(tree);
}

function ofSuccess(item: Json): Json {
  const operations = Object.entries(item as Readonly<Record<string, { readonly responses: Json }>>);
  return Object.fromEntries(
    operations.map(([method, operation]) => {
      const good = Object.entries(operation.responses).filter(([status]) => status.startsWith("2"));
      return [method, { ...operation, responses: Object.fromEntries(good) }];
    }),
  );
}

/** A property may have the name, but its schema is no text. */
function withoutSentences(name: string, value: unknown): unknown {
  return (name === "description" || name === "summary") && typeof value === "string" ? undefined : value;
}
