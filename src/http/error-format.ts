import { encodeShapeA } from "../protocols/error-format-a.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { PROTOCOLS } from "../protocols/table.ts";
import { ERROR_FORMAT_B, type ErrorShape } from "./error-format-b.ts";

/** What no protocol claims. */
const ERROR_FORMAT_A: ErrorShape = { encodeError: encodeShapeA };

/** The error shape that a path's callers read, known before any route is. */
export function shapeOf(path: string): ErrorShape {
  for (const [pattern, shape] of SHAPES) if (pattern.test(path)) return shape;
  return ERROR_FORMAT_A;
}

const SHAPES: readonly (readonly [pattern: RegExp, shape: ErrorShape])[] = [
  ...Object.values(PROTOCOLS).flatMap(shapesOf),
  [/^\/v1\/images\/|^\/v2\//, ERROR_FORMAT_B],
];

function shapesOf({ endpoint, encodeError }: Protocol): (readonly [RegExp, ErrorShape])[] {
  const { errorPaths, idHeader } = endpoint;
  return errorPaths === null ? [] : [[errorPaths, { encodeError, ...(idHeader ? { idHeader } : {}) }]];
}
