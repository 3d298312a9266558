import { asObject, asObjects, asText, type JsonObject } from "../json.ts";

/**
 * Arguments that come in pieces, each saying where it belongs (`$.city`, `$.days[1].from`) and, of a text,
 * whether more of it follows. The vendor sends them where the request asked for it.
 */
export class PartialArguments {
  readonly #fields: Holder = {};
  /** The value that stands in place of an object. */
  #other: unknown;
  /**
   * Objects that this class made grow in place; values of an event belong to others as well, so they are copied first.
   */
  readonly #own = new WeakSet<object>([this.#fields]);

  /** The `args` of one event: fields that come whole, or what a server wrote in their place. */
  put(args: unknown): void {
    const fields = asObject(args);
    if (fields === undefined) this.#other = args ?? this.#other;
    else for (const name of Object.keys(fields)) set(this.#fields, name, fields[name]);
  }

  /** All that came: the object, or what stands in its place where it has no field. */
  get whole(): unknown {
    return Object.keys(this.#fields).length > 0 ? this.#fields : (this.#other ?? this.#fields);
  }

  /** The `partialArgs` of one event. */
  place(pieces: unknown): void {
    for (const piece of asObjects(pieces)) {
      const path = stepsOf(asText(piece["jsonPath"]));
      const last = path.pop();
      if (last === undefined || typeof (path[0] ?? last) === "number") continue;
      let holder: Holder | unknown[] = this.#fields;
      for (const [at, step] of path.entries()) {
        holder = this.#inside(holder, step, typeof (path[at + 1] ?? last) === "number");
      }
      set(holder, last, pieceValue(get(holder, last), piece));
    }
  }

  /** The list or object at this step, made where there is none. */
  #inside(holder: Holder | unknown[], step: Step, isList: boolean): Holder | unknown[] {
    const value = get(holder, step);
    const list: unknown[] | undefined = Array.isArray(value) ? value : undefined;
    const known = isList ? list : asObject(value);
    if (known !== undefined && this.#own.has(known)) return known as Holder | unknown[];
    const own = isList ? [...(list ?? [])] : { ...asObject(value) };
    this.#own.add(own);
    set(holder, step, own);
    return own;
  }
}

type Holder = Record<string, unknown>;
type Step = string | number;

function get(holder: Holder | unknown[], step: Step): unknown {
  if (Array.isArray(holder)) return holder[Math.min(Number(step), holder.length)];
  return Object.hasOwn(holder, step) ? holder[step] : undefined;
}

/** The one name that would set an object's prototype is a field like others. */
function set(holder: Holder | unknown[], step: Step, value: unknown): void {
  if (Array.isArray(holder)) holder[Math.min(Number(step), holder.length)] = value;
  else if (step !== "__proto__") holder[step] = value;
  else Object.defineProperty(holder, step, { value, writable: true, enumerable: true, configurable: true });
}

function pieceValue(before: unknown, piece: JsonObject): unknown {
  if (typeof piece["stringValue"] === "string") return asText(before) + piece["stringValue"];
  return piece["numberValue"] ?? piece["boolValue"] ?? null;
}

function stepsOf(path: string): Step[] {
  if (!path.startsWith("$")) return [];
  const steps = [...path.matchAll(STEP)].map(([, name, index, quoted]) =>
    index === undefined ? (name ?? quoted ?? "") : Number(index),
  );
  return steps.slice(0, MAX_DEPTH);
}

const STEP = /\.([^.[\]]+)|\[(\d{1,6})\]|\[['"]([^'"]*)['"]\]/g;

/** Arguments nest a few levels; more is an attack. */
const MAX_DEPTH = 32;
