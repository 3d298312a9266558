/** A position in the file; lines and columns count from 1, and 0 is the file as a whole. */
export interface FilePosition {
  readonly line: number;
  readonly column: number;
}

/** The place of what concerns no line of a file more than another. */
export const WHOLE_FILE: FilePosition = { line: 0, column: 0 };

/** One thing wrong in a file: where, at which path (`upstreams[0].weight`), and what to do. */
export interface Problem extends FilePosition {
  readonly path: string;
  readonly message: string;
}

/** Enough to mend a file in one go; a file with more is broken in a way that the first ones show. */
const SHOWN_PROBLEMS = 50;

/** A file that cannot be used. `problems` has every one, sorted by place; none of them holds a secret. */
export class ManifestError extends Error {
  override readonly name = "ManifestError";
  readonly problems: readonly Problem[];

  constructor(file: string, problems: readonly Problem[]) {
    const sorted = problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
    const shown = sorted.slice(0, SHOWN_PROBLEMS).map((problem) => describe(file, problem));
    const rest = sorted.length - shown.length;
    if (rest > 0) shown.push(`... and ${rest} more`);
    super(shown.join("\n"));
    this.problems = sorted;
  }
}

function describe(file: string, { line, column, path, message }: Problem): string {
  const place = line === 0 ? file : `${file}:${line}:${column}`;
  return `${place}: ${path ? `${path}: ` : ""}${message}`;
}

/**
 * Hides secrets in a message. Short ones are left alone: hiding every "test" would garble the sentence,
 * and nothing that short protects anything.
 */
export function redact(message: string, secrets: Iterable<string>): string {
  for (const secret of secrets) {
    if (secret.length < 8) continue;
    message = message.replaceAll(secret, "(secret)");
    // Secrets are replaced in their form inside of a quoted value as well.
    message = message.replaceAll(JSON.stringify(secret).slice(1, -1), "(secret)");
  }
  return message;
}
