/** Longer lists are cut: some servers refuse a header above a few KB. The request log has all of it. */
const MAX_HEADER_CHARS = 2_000;

/** `x-faregate-dropped`: the fields that translation could not carry, each once, in the caller's spelling. */
export function droppedHeader(losses: readonly Loss[]): Record<string, string> {
  if (losses.length === 0) return {};
  const paths = [...new Set(losses.map(({ path }) => path.replace(/[^\x21-\x7e]+/g, "?")))].join(", ");
  return {
    "x-faregate-dropped": paths.length > MAX_HEADER_CHARS ? `${paths.slice(0, MAX_HEADER_CHARS)}...` : paths,
  };
}

/** The same with reasons, for the request log; a beta may stand in a header and in the body. */
export function lossTexts(losses: readonly Loss[]): string[] {
  return [...new Set(losses.map(({ path, reason }) => `${path} (${reason})`))];
}

/**
 * A part of a request that translation could not carry. A hint that is dropped is a value here, listed in the
 * response's header and in the request log; a part that changes the response's meaning is refused instead.
 */
export interface Loss {
  /** The field in the caller's own spelling. */
  readonly path: string;
  readonly reason: LossReason;
}

/** The path of a field of what stands at `path`, "" for the body. A name that would not read as one is in brackets and quotes. */
export function fieldPath(path: string, name: string): string {
  if (!PLAIN_NAME.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === "" ? name : `${path}.${name}`;
}

const PLAIN_NAME = /^[^\s.,[\]"]+$/;

/** Several lists in one. */
export function joinedLosses(...lists: readonly (readonly Loss[] | undefined)[]): readonly Loss[] {
  return lists.flatMap((list) => list ?? []);
}

export type LossReason =
  /** The upstream's protocol has no slot for it. */
  | "no-slot"
  /** State of another issuer, which this upstream must not see. */
  | "other-issuer"
  /** The upstream's model does not take it (a quirk in the catalog). */
  | "model-refuses"
  /** The model has no price for it, and the operator wants it left out. */
  | "unpriced"
  /** An option of the upstream leaves it out, or puts something else in its place. */
  | "upstream-option"
  /** Taken over with a smaller value or in a weaker form. */
  | "weakened"
  /** A call whose arguments are not whole, so that it would be another call. */
  | "cut-short";

/** The fields of the neutral form that a loss or a refusal can name. */
const NEUTRAL_FIELDS = [
  "system",
  "messages",
  "name",
  "media",
  "mediaName",
  "detail",
  "reasoningState",
  "thoughts",
  "cache",
  "citations",
  "isError",
  "tools",
  "toolCalls",
  "toolChoice",
  "parallelToolCalls",
  "strict",
  "temperature",
  "topP",
  "topK",
  "seed",
  "presencePenalty",
  "frequencyPenalty",
  "maxOutputTokens",
  "stop",
  "reasoning",
  "responseFormat",
  "verbosity",
  "user",
  "cacheKey",
  "cacheRetention",
  "n",
] as const;
export type NeutralField = (typeof NEUTRAL_FIELDS)[number];

/** One protocol's names of the fields. A field that a protocol cannot state has no name, because it is never lost. */
export type FieldNames = Readonly<Partial<Record<NeutralField, string>>>;

/** Gathers losses; each is told once, however many parts it happened to. */
export interface LossList {
  /** Loses a field of the neutral form, told in the caller's spelling. */
  field(field: NeutralField, reason?: LossReason): void;
  /** Loses what stands at a path of the caller's; `messages[7].weight` is told as `messages[].weight`. */
  at(path: string, reason?: LossReason): void;
  /** Refuses the request because of a field of the neutral form. */
  refuse(field: NeutralField, why: string): never;
  refuseAt(path: string, why: string, details?: unknown): never;
  /** The caller's spelling of a field. */
  nameOf(field: NeutralField): string;
  list(): readonly Loss[];
}

export function openLosses(names: FieldNames): LossList {
  const losses = new Map<string, Loss>();
  const at = (path: string, reason: LossReason = "no-slot"): void => {
    const place = path.replaceAll(INDEX, "[]").slice(0, MAX_PATH_LETTERS);
    const told = losses.size < MAX_LOSSES ? place : AND_MORE;
    losses.set(`${told} ${reason}`, { path: told, reason });
  };
  const nameOf = (field: NeutralField): string => names[field] ?? field;
  const refuseAt = (path: string, why: string, details?: unknown): never => {
    throw new RefusedField(path, why, details);
  };
  return {
    at,
    field: (field, reason) => at(nameOf(field), reason),
    refuse: (field, why) => refuseAt(nameOf(field), why),
    refuseAt,
    nameOf,
    list: () => [...losses.values()],
  };
}

/** Losses drop the index, because clients repeat the same part in every turn. */
const INDEX = /\[\d+\]/g;

/** They end in a header and in the log of requests, and callers can invent names of fields without end. */
const MAX_LOSSES = 100;
const MAX_PATH_LETTERS = 200;
const AND_MORE = "...";

/** A request that translation cannot serve without changing its meaning, or that is malformed: 400 naming the field. */
export class RefusedField extends Error {
  override readonly name = "RefusedField";
  readonly path: string;
  readonly details: unknown;

  /** `why` is a sentence for the caller: what is wrong and what to do; `details` is for its program. */
  constructor(path: string, why: string, details?: unknown) {
    super(why);
    this.path = path;
    this.details = details;
  }
}

/** A value, or why there is none. */
export type Outcome<T> = { readonly value: T } | { readonly refused: RefusedField };

/** Runs what may refuse; every other throw is a bug and passes on. */
export function outcomeOf<T>(make: () => T): Outcome<T> {
  try {
    return { value: make() };
  } catch (cause) {
    if (cause instanceof RefusedField) return { refused: cause };
    throw cause;
  }
}
