import { asBuffer, indexIn } from "../../base/sse.ts";
import { optionSecrets } from "../../catalog/upstream-options.ts";
import { accessSecrets } from "../access/known-access.ts";
import type { Candidate } from "../call.ts";
import { kindOf } from "../kinds.ts";
import { REDACTED } from "./scrub-patterns.ts";

/**
 * Takes out of all that is passed on what its upstream was sent to know us by, wherever it stands: in words of the vendor's, in an
 * event that no protocol has, in what a model wrote. The bytes are searched and not read, so that it costs next to nothing.
 */
export interface SecretFilter {
  /** The same pieces where they hold none. */
  without(pieces: readonly Uint8Array[]): readonly Uint8Array[];
  /**
   * The number of these bytes that can be passed on before the next ones are here: a secret may have begun in the
   * others.
   */
  passable(bytes: Buffer): number;
}

/** A shorter one is as likely a word, such as `lm-studio` of a server that asks for any key. */
const SURE_LETTERS = 16;
/** A shorter one with a digit in it is no word from here on. */
const LEAST_LETTERS = 8;
const TOKEN_END_LETTERS = 64;

/** The secrets in the credential that a candidate is sent, and in its headers: it is by those that its vendor knows us. */
export function sentSecrets({ upstream, credential }: SentTo): readonly string[] {
  const { secret } = credential;
  const secrets = accessSecrets(credential)?.map(endOf) ??
    kindOf(upstream.kind)?.heldIn?.(secret).secrets ?? [secret];
  const { headers } = upstream.options ?? {};
  const more = headers === undefined ? [] : optionSecrets({ headers });
  return [...secrets, ...more].filter(isNoWord);
}

/**
 * True if a word of the vendor's is what it knows us by, holds it or is a long part of it, in any case: receipts and logs show
 * the names of tiers, tools and models in their vendors' words.
 */
export function isSecretWord(word: string, sent: SentTo): boolean {
  const written = word.toLowerCase();
  return sentSecrets(sent).some((each) => {
    const secret = each.toLowerCase();
    return written.includes(secret) || (written.length >= SURE_LETTERS && secret.includes(written));
  });
}

/** So much of a token's end is looked for in all that passes: without it nobody can use the rest. */
function endOf(token: string): string {
  return token.slice(-TOKEN_END_LETTERS);
}

/** A secret that is looked for; a header may as well hold a word. */
export function isNoWord(secret: string): boolean {
  return secret.length >= SURE_LETTERS || (secret.length >= LEAST_LETTERS && /\d/.test(secret));
}

type SentTo = {
  readonly upstream: Pick<Candidate["upstream"], "kind" | "options">;
  readonly credential: Pick<Candidate["credential"], "secret">;
};

export function openSecretFilter(secrets: readonly string[]): SecretFilter {
  if (secrets.length === 0) return PASSING;
  const runs = secrets.map(plainRun);
  const reach = LETTER_BYTES * Math.max(...secrets.map(({ length }) => length));
  let pattern: RegExp | undefined;
  // Compiled when it is first needed, which it hardly ever is.
  const written = (): RegExp => {
    pattern ??= new RegExp(secrets.map(asWritten).join("|"), "g");
    return pattern;
  };
  const mayHold = (bytes: Buffer): boolean =>
    indexIn(bytes, ESCAPE, 0) !== -1 || runs.some((run) => indexIn(bytes, run, 0) !== -1);

  return {
    without(pieces) {
      const [first] = pieces;
      if (first === undefined) return pieces;
      const isFound =
        pieces.length === 1
          ? mayHold(asBuffer(first))
          : pieces.some((piece) => mayHold(asBuffer(piece))) ||
            seamsOf(pieces, reach).some((seam) => mayHold(seam));
      if (!isFound) return pieces;
      const text = Buffer.concat(pieces).toString("latin1");
      const told = text.replace(written(), REDACTED);
      return told === text ? pieces : [Buffer.from(told, "latin1")];
    },
    passable(bytes) {
      const sure = bytes.length - reach;
      if (sure <= 0) return 0;
      const from = Math.max(0, sure - reach);
      // One that lies across stays whole.
      for (const match of bytes.toString("latin1", from).matchAll(written())) {
        const start = from + match.index;
        if (start < sure && start + match[0].length > sure) return start;
      }
      return sure;
    },
  };
}

const PASSING: SecretFilter = { without: (pieces) => pieces, passable: ({ length }) => length };

/** The bytes across the end of one piece and the beginning of the next ones. */
function seamsOf(pieces: readonly Uint8Array[], reach: number): readonly Buffer[] {
  let end: Uint8Array = Buffer.alloc(0);
  return pieces.map((piece) => {
    const seam = Buffer.concat([end, piece.subarray(0, reach)]);
    end = piece.length >= reach ? piece.subarray(-reach) : Buffer.concat([end, piece]).subarray(-reach);
    return seam;
  });
}

/** The longest part that JSON writes in one way only, but for escapes by number. */
function plainRun(secret: string): string {
  return secret.split(/["\\/]/).reduce((longest, run) => (run.length > longest.length ? run : longest));
}

/**
 * A secret as JSON may write it, in a text within a text too, which has twice the backslashes. Of a run of them only the first is
 * looked at as a beginning, so that the search takes as long as the text is.
 */
function asWritten(secret: string): string {
  return [...secret].map((letter, at) => letterAsWritten(letter, at === 0 ? "(?<!\\\\)" : "")).join("");
}

function letterAsWritten(letter: string, before: string): string {
  const plain = letter.replace(/[\\^$.*+?()[\]{}|/-]/, "\\$&");
  const digits = letter.charCodeAt(0).toString(16).padStart(2, "0");
  const number = digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  const escaped = /["\\/]/.test(letter) ? `|${before}\\\\+${plain}` : "";
  return `(?:${plain}${escaped}|${before}\\\\+u00${number})`;
}

/** The beginning of any letter of a secret that is escaped by its number. */
const ESCAPE = "\\u00";
/** Eight backslashes, `u` and four digits: three texts within each other. */
const LETTER_BYTES = 13;
