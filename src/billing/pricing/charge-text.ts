import type { TokenBucket } from "../../usage/usage.ts";
import type { Charge, SourcedTerm } from "./charge.ts";
import { EXACT_PER_NANO, FACTOR_SCALE, type PriceLine } from "./price.ts";

/** A charge that is no plain one, as it stands in an end record and the usage log: amounts are text, as JSON numbers lose digits. */
export interface ChargeText {
  /** The row that was taken; absent = the base row. */
  readonly row?: string | undefined;
  readonly stepEstimated?: true | undefined;
  readonly terms?: readonly TermText[] | undefined;
  readonly unpriced?: readonly string[] | undefined;
  readonly lines: readonly LineText[];
}

interface TermText extends Omit<SourcedTerm, "factorPpm"> {
  readonly factor?: string | undefined;
}

type LineText =
  | {
      readonly bucket: TokenBucket;
      readonly tokens: number;
      readonly rate: string;
      /** Absent = 1. */
      readonly factor?: string | undefined;
      /** Absent = that of the charge. */
      readonly row?: string | undefined;
      /** Absent = the one that was asked. */
      readonly model?: string | undefined;
    }
  | {
      readonly kind: "call" | "unit" | "request";
      readonly name: string;
      readonly count: number;
      readonly each: string;
    };

export function encodeCharge({ row, isStepEstimated, terms, unpriced, lines }: Charge): ChargeText {
  return {
    row: row === "base" ? undefined : row,
    stepEstimated: isStepEstimated,
    terms: terms.length > 0 ? terms.map(encodeTerm) : undefined,
    unpriced: unpriced.length > 0 ? unpriced : undefined,
    lines: lines.map((line) => encodeLine(line, row)),
  };
}

function encodeTerm({ factorPpm, ...term }: SourcedTerm): TermText {
  return factorPpm === undefined ? term : { ...term, factor: String(factorPpm) };
}

function encodeLine(line: PriceLine, row: string): LineText {
  if (line.kind !== "tokens")
    return { kind: line.kind, name: line.name, count: line.count, each: String(line.nanosEach) };
  return {
    bucket: line.bucket,
    tokens: line.tokens,
    rate: String(line.nanosPerMillion),
    factor: line.factor === FACTOR_SCALE ? undefined : String(line.factor),
    row: line.row === row ? undefined : line.row,
    model: line.model,
  };
}

/** The part of a charge that a receipt shows. */
export type ShownCharge = Pick<Charge, "row" | "isStepEstimated" | "terms" | "unpriced" | "lines" | "sum">;

export function decodeCharge({
  row = "base",
  stepEstimated,
  terms = [],
  unpriced = [],
  lines: texts,
}: ChargeText): ShownCharge {
  const lines = texts.map((line) => decodeLine(line, row));
  return {
    row,
    isStepEstimated: stepEstimated,
    terms: terms.map(
      ({ factor, ...term }): SourcedTerm => ({
        ...term,
        factorPpm: factor === undefined ? undefined : BigInt(factor),
      }),
    ),
    unpriced,
    lines,
    sum: lines.reduce((total, { exact }) => total + exact, 0n),
  };
}

function decodeLine(line: LineText, charged: string): PriceLine {
  if ("kind" in line) {
    const { kind, name, count } = line;
    const nanosEach = BigInt(line.each);
    return { kind, name, count, nanosEach, exact: BigInt(count) * nanosEach * EXACT_PER_NANO };
  }
  const { bucket, tokens, row = charged, model } = line;
  const nanosPerMillion = BigInt(line.rate);
  const factor = line.factor === undefined ? FACTOR_SCALE : BigInt(line.factor);
  const exact = BigInt(tokens) * nanosPerMillion * factor;
  const decoded: PriceLine = { kind: "tokens", bucket, tokens, row, nanosPerMillion, factor, exact };
  return model === undefined ? decoded : { ...decoded, model };
}
