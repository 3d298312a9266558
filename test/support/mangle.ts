import type { SeededRandom } from "./seed.ts";

/** Breaks texts and JSON in the ways in which networks, vendors and attackers do. */
export interface Mangler {
  /** Bytes that resemble the text: cut, repeated, swapped, flipped, with pieces of others in them. */
  bytes(text: string): Buffer;
  /** The JSON value with some of its parts replaced by others of the wrong kind. */
  json(value: unknown): unknown;
  /** The lines of a stream, some of which are lost, repeated, in another order, or broken inside. */
  stream(text: string): Buffer;
  /** Bytes out of nothing. */
  noise(): Buffer;
}

export function openMangler(random: SeededRandom, words: readonly string[]): Mangler {
  const pick = <T>(values: readonly T[]): T => values[random.whole(0, values.length - 1)] as T;
  const place = (length: number): number => random.whole(0, Math.max(0, length));

  function odd(depth = 0): unknown {
    const kind = random.whole(0, depth > 2 ? 4 : 8);
    if (kind <= 2) return pick(ODD);
    if (kind <= 4) return pick(words);
    if (kind === 5) return [odd(depth + 1), odd(depth + 1)];
    if (kind === 6) return Array.from({ length: random.whole(0, 4) }, () => odd(depth + 1));
    return Object.fromEntries(
      Array.from({ length: random.whole(1, 4) }, () => [pick(words), odd(depth + 1)]),
    );
  }

  /** Walks to a random place; the value there is replaced, removed, repeated or wrapped. */
  function changed(value: unknown, depth = 0): unknown {
    if (typeof value !== "object" || value === null || depth > MAX_DEPTH || random.whole(0, 5) === 0) {
      return random.whole(0, 3) === 0 ? [value] : odd();
    }
    if (Array.isArray(value)) {
      if (value.length === 0) return [odd()];
      const at = random.whole(0, value.length - 1);
      if (random.whole(0, 7) === 0) return value.toSpliced(at, random.whole(0, 1), value[place(at)]);
      return value.with(at, changed(value[at], depth + 1));
    }
    const entries = Object.entries(value);
    if (entries.length === 0) return { [pick(words)]: odd() };
    const [key, inner] = pick(entries);
    const rest = { ...value } as Record<string, unknown>;
    const what = random.whole(0, 9);
    if (what === 0) delete rest[key];
    else if (what === 1) rest[pick(words)] = inner;
    else rest[key] = changed(inner, depth + 1);
    return rest;
  }

  function bytes(text: string): Buffer {
    const whole = Buffer.from(text);
    const [from, to] = [place(whole.length), place(whole.length)].sort((a, b) => a - b) as [number, number];
    switch (random.whole(0, 5)) {
      case 0:
        return whole.subarray(0, to);
      case 1:
        return Buffer.concat([whole.subarray(0, from), whole.subarray(Math.min(to, from + 40))]);
      case 2:
        return Buffer.concat([whole.subarray(0, to), whole.subarray(from)]);
      case 3:
        return Buffer.concat([whole.subarray(0, from), noise(), whole.subarray(from)]);
      case 4:
        return Buffer.concat([whole.subarray(0, from), Buffer.from(pick(PIECES)), whole.subarray(from)]);
      default: {
        const flipped = Buffer.from(whole);
        for (let left = random.whole(1, 4); left > 0 && flipped.length > 0; left -= 1) {
          flipped[place(flipped.length - 1)] = random.whole(0, 255);
        }
        return flipped;
      }
    }
  }

  function noise(): Buffer {
    return Buffer.from(Array.from({ length: random.whole(0, 40) }, () => random.whole(0, 255)));
  }

  function json(value: unknown): unknown {
    let broken = value;
    for (let left = random.whole(1, 3); left > 0; left -= 1) broken = changed(broken);
    return broken;
  }

  function stream(text: string): Buffer {
    if (random.whole(0, 3) === 0) return bytes(text);
    const events = text.split(/\r?\n\r?\n/);
    for (let left = random.whole(1, 3); left > 0; left -= 1) {
      const at = random.whole(0, events.length - 1);
      const event = events[at] ?? "";
      const other = place(events.length - 1);
      switch (random.whole(0, 4)) {
        case 0:
          events.splice(at, 1);
          break;
        case 1:
          events.splice(other, 0, event);
          break;
        case 2:
          events[at] = events[other] ?? "";
          events[other] = event;
          break;
        default:
          events[at] = event.replace(/^data: ?(.+)$/m, (_, data: string) => `data: ${broken(data)}`);
      }
      if (events.length === 0) break;
    }
    return Buffer.from(events.join("\n\n"));
  }

  function broken(data: string): string {
    try {
      return JSON.stringify(json(JSON.parse(data))) ?? "";
    } catch {
      return bytes(data).toString("latin1");
    }
  }

  return { bytes, json, stream, noise };
}

/** Values that no field expects. */
const ODD: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  0.5,
  1e308,
  Number.MAX_SAFE_INTEGER + 2,
  "",
  " ",
  "\u0000",
  "\ud800",
  "__proto__",
  "gw1.",
  "gw1.e30",
  "data:;base64,",
  "{",
  [],
  {},
  [[]],
  [null],
  { constructor: null },
];

/** Pieces that a parser may stumble over. */
const PIECES: readonly string[] = [
  "\n\n",
  "\r",
  "data:",
  "data: [DONE]\n\n",
  "event: error\n",
  "\ufeff",
  "\u2028",
  '"',
  "\\",
  "\\ud800",
  "]}",
  "NaN",
  "\u0000",
  ": ping\n\n",
];

/** Deeper than any vendor's form. */
const MAX_DEPTH = 12;
