import { asObject, asObjects, asText, type JsonObject } from "../json.ts";

/**
 * Arguments that come in pieces, each saying where it belongs (`$.city`, `$.days[1].from`) and, of a text,
 * whether more of it follows. The vendor sends them where the request asked for it.
 */
export function joinArguments(args: JsonObject, pieces: unknown): JsonObject {
  return asObjects(pieces).reduce<JsonObject>((joined, piece) => {
    const path = stepsOf(asText(piece["jsonPath"]));
    return path.length === 0 ? joined : (asObject(placed(joined, path, piece)) ?? joined);
  }, args);
}

function placed(value: unknown, [step, ...rest]: readonly (string | number)[], piece: JsonObject): unknown {
  if (step === undefined) return pieceValue(value, piece);
  if (typeof step === "number") {
    const list: unknown[] = Array.isArray(value) ? [...value] : [];
    list[Math.min(step, list.length)] = placed(list[step], rest, piece);
    return list;
  }
  const object = asObject(value) ?? {};
  return { ...object, [step]: placed(Object.hasOwn(object, step) ? object[step] : undefined, rest, piece) };
}

function pieceValue(before: unknown, piece: JsonObject): unknown {
  if (typeof piece["stringValue"] === "string") return asText(before) + piece["stringValue"];
  return piece["numberValue"] ?? piece["boolValue"] ?? null;
}

function stepsOf(path: string): readonly (string | number)[] {
  if (!path.startsWith("$")) return [];
  const steps = [...path.matchAll(STEP)].map(([, name, index, quoted]) =>
    index === undefined ? (name ?? quoted ?? "") : Number(index),
  );
  return steps.slice(0, MAX_DEPTH);
}

const STEP = /\.([^.[\]]+)|\[(\d{1,6})\]|\[['"]([^'"]*)['"]\]/g;

/** Arguments nest a few levels; more is an attack. */
const MAX_DEPTH = 32;
