import type { BodyScan } from "../base/json/json-scan.ts";
import { familyOf } from "../usage/tool-names.ts";
import {
  type BodyFeatures,
  type CallSizePlace,
  type HoldTable,
  scannedPath,
  type ToolPath,
} from "./body-features.ts";

/** The paths of a search's size: beside the definition's type (OpenAI) or among its parameters (OpenRouter). */
export function searchSizes(places: readonly ToolPath[]): CallSizePlace[] {
  return places.flatMap((place) =>
    ["search_context_size", "parameters.search_context_size"].map((field) => ({
      path: `${scannedPath(place)}.${field}`,
      tool: "web_search",
    })),
  );
}

/**
 * The paths of the memory of new containers that code runs in:
 * https://developers.openai.com/api/docs/guides/tools-code-interpreter
 */
export function containerSizes(places: readonly ToolPath[]): CallSizePlace[] {
  const tool = "code_container";
  return places.map(scannedPath).flatMap((path): CallSizePlace[] => [
    { path: `${path}.container.memory_limit`, tool },
    { path: `${path}.environment.memory_limit`, tool },
    { path: `${path}.container`, tool, isReused: true },
    { path: `${path}.environment.container_id`, tool, isReused: true },
  ]);
}

/** A size that the request asks for; undefined = it leaves the size of one of its definitions to the vendor. */
export interface AskedSize {
  readonly size: string | undefined;
  readonly path: string;
  /** Only the vendor knows which size it is: it is charged as the dearest. */
  readonly isReused?: true;
}

/** The receipt's word for the size of a container that existed before. */
const REUSED = "reused";

/** The sizes that the request asks for of a tool's family, one for each definition; [] = it says none. */
export function askedSizes(
  { callSizes = [] }: HoldTable,
  scan: BodyScan,
  { hostedTools, hostedFields }: BodyFeatures,
  tool: string,
): readonly AskedSize[] {
  const family = familyOf(tool);
  const places = callSizes.filter((place) => place.tool === family);
  const reused = places.find(
    ({ path, isReused }) => isReused && scan.all(path).some(({ type }) => type === "string"),
  );
  if (reused !== undefined) return [{ size: REUSED, path: reused.path, isReused: true }];
  const asked = places
    .filter(({ isReused }) => !isReused)
    .flatMap(({ path }) => scan.all(path).map(({ head }) => ({ size: head.toLowerCase(), path })))
    .filter(({ size }) => size !== "");
  const [first] = asked;
  if (first === undefined) return asked;
  const offered = [...hostedTools.map((hosted) => hosted.tool), ...hostedFields];
  const definitions = offered.filter((each) => familyOf(each) === family).length;
  return asked.length < definitions ? [...asked, { ...first, size: undefined }] : asked;
}
