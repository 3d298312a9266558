import { arrayOr, isObject, type Json, type JsonObject, objectOr } from "../json.ts";
import { refuse } from "../refusal.ts";

/** OpenAI's conditions for `strict: true`: closed objects whose properties are all required. */
export function checkStrictSchema(schema: JsonObject, subject: string, param: string): void {
  check(schema, [], { subject, param });
}

interface Site {
  subject: string;
  param: string;
}

function check(value: Json | undefined, path: string[], site: Site): void {
  if (!isObject(value)) return;
  if (value["type"] === "object" || isObject(value["properties"])) checkObject(value, path, site);
  check(value["items"], [...path, "items"], site);
  for (const [index, branch] of arrayOr(value["anyOf"]).entries())
    check(branch, [...path, "anyOf", String(index)], site);
  for (const name of ["$defs", "definitions"]) {
    for (const [key, schema] of Object.entries(objectOr(value[name])))
      check(schema, [...path, name, key], site);
  }
}

function checkObject(schema: JsonObject, path: string[], site: Site): void {
  const context = `In context=(${path.map((step) => `'${step}'`).join(", ")}), `;
  if (schema["additionalProperties"] !== false) {
    refuseSchema(site, `${context}'additionalProperties' is required to be supplied and to be false.`);
  }
  const properties = objectOr(schema["properties"]);
  const required = arrayOr(schema["required"]);
  const missing = Object.keys(properties).find((name) => !required.includes(name));
  if (missing !== undefined) {
    refuseSchema(
      site,
      `${context}'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`,
    );
  }
  for (const [name, property] of Object.entries(properties))
    check(property, [...path, "properties", name], site);
}

function refuseSchema(site: Site, reason: string): never {
  return refuse(`Invalid schema for ${site.subject}: ${reason}`, site.param, "invalid_json_schema");
}
