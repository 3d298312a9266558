import type { ProtocolName } from "../../conversation/protocol-name.ts";
import { type Origin, unwrapOpaque, WRAPPED_START } from "../../conversation/state/opaque.ts";
import { PROTOCOLS } from "../../protocols/table.ts";

/** A body that carries state which an earlier response wrapped for this caller (`gw1.`). */
export interface WrappedState {
  /** Issuer of the latest readable state, on which the conversation's last turn rests. */
  readonly issuer: Origin | undefined;
}

/** Reads a body chunk by chunk, as it arrives. */
export interface StateSearch {
  write(chunk: Buffer): void;
  /** Returns the state in the whole body; undefined = none. */
  end(): WrappedState | undefined;
}

/**
 * Looks for wrapped state by its marks, in the bytes: a body that has none is never read further. Such state
 * is nobody's but its issuer's, so a body that has it is never forwarded as it is, though the protocols agree.
 * It looks at each chunk as it arrives, since to go through 32 MB at once would hold up everyone else.
 */
export function openStateSearch(protocol: ProtocolName): StateSearch {
  const { inBase64, unsigned: unsignedMarks = NO_MARKS } = PROTOCOLS[protocol].forward.state;
  const marks = inBase64 ? NATIVE_MARKS : MARKS;
  /** From the last chunk on in which a mark begins. */
  let marked: Buffer[] = [];
  let unsigned = false;
  let previous: Buffer | undefined;

  return {
    write(chunk) {
      const seam = previous === undefined ? undefined : boundaryOf(previous, chunk);
      if (holdsAny(chunk, marks)) marked = [chunk];
      else if (previous !== undefined && holdsAny(seam, marks)) marked = [previous, chunk];
      else if (marked.length > 0) marked.push(chunk);
      unsigned ||= holdsAny(chunk, unsignedMarks) || holdsAny(seam, unsignedMarks);
      previous = chunk;
    },
    end() {
      if (marked.length > 0) return { issuer: readIssuer(Buffer.concat(marked), marks) };
      return unsigned ? { issuer: undefined } : undefined;
    },
  };
}

/**
 * The constant beginning of a wrapped word in a string. It is searched for as a whole: a search for 13 bytes passes
 * through 16 MB of JSON in 5 ms, whereas one for the first 5 stops at every quote and takes 50 ms.
 */
const WRAPPED = Buffer.from(`"${WRAPPED_START}`);

/** The same prefix in base64, for slots that hold base64. */
const IN_BASE64 = Buffer.from(`"${Buffer.from(WRAPPED_START).toString("base64")}`);

const MARKS = [WRAPPED];
const NATIVE_MARKS = [WRAPPED, IN_BASE64];
const NO_MARKS: readonly Buffer[] = [];

const MAX_MARK = Math.max(
  ...[
    ...NATIVE_MARKS,
    ...Object.values(PROTOCOLS).flatMap(({ forward }) => forward.state.unsigned ?? []),
  ].map((mark) => mark.length),
);

/** Prompts may hold the mark too, by accident or on purpose; so many are looked at for one that is true. */
const MAX_LOOKS = 8;

/** The origin in the last wrapped word of a text. */
function readIssuer(text: Buffer, marks: readonly Buffer[]): Origin | undefined {
  let end = text.length;
  for (let round = 0; round < MAX_LOOKS && end > 0; round += 1) {
    const start = Math.max(...marks.map((mark) => text.lastIndexOf(mark, end - 1)));
    if (start < 0) return undefined;
    const word = text.toString("latin1", start + 1, text.indexOf(QUOTE, start + 1));
    const opaque = unwrapOpaque(word) ?? unwrapOpaque(Buffer.from(word, "base64").toString("latin1"));
    if (opaque !== undefined) return opaque.origin;
    end = start;
  }
  return undefined;
}

const QUOTE = 0x22;

function holdsAny(bytes: Buffer | undefined, marks: readonly Buffer[]): boolean {
  if (bytes !== undefined) for (const mark of marks) if (bytes.includes(mark)) return true;
  return false;
}

/** The bytes around the boundary of two chunks, to find a mark that it splits. */
function boundaryOf(before: Buffer, after: Buffer): Buffer {
  return Buffer.concat([before.subarray(-MAX_MARK), after.subarray(0, MAX_MARK)]);
}
