import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import type { z } from "zod";
import { isRecord } from "../../base/json/record.ts";
import { flattenIssues, type Issue, issueMessage, type Path, pathText } from "../../base/schema-issues.ts";
import { type CheckedFile, checkFile, type Item } from "../diff/check.ts";
import { DEFAULT_GROUP, type Manifest, SECTIONS } from "../manifest.ts";
import { decodeFile } from "./decode-file.ts";
import { namedItems } from "./named-items.ts";
import { respell } from "./old-spellings.ts";
import { ManifestError, type Problem, redact, WHOLE_FILE } from "./problems.ts";
import { fileSchema, itemSchemas } from "./schema.ts";
import { readYamlTree, type YamlTree } from "./yaml-tree.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads a catalog file from disk. Throws ManifestError, whose message lists every problem by line. */
export async function readManifest(file: string, env: Environment): Promise<Manifest> {
  return parseManifest(await readFileText(file), env, file);
}

/**
 * Files of commands are smaller: public price lists, months of a vendor's export. A larger file was named by mistake.
 */
const MAX_MEGABYTES = 64;

/** The file's text; `-` is standard input. Throws ManifestError, also where it is larger than commands take. */
export async function readFileText(file: string): Promise<string> {
  let bytes: Buffer | undefined;
  try {
    bytes = await readAtMost(
      file === "-" ? process.stdin : createReadStream(file),
      MAX_MEGABYTES * 1024 * 1024,
    );
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const why = code === "ENOENT" ? "no such file" : `it cannot be read (${code})`;
    throw new ManifestError(file, [{ ...WHOLE_FILE, path: "", message: `${why}; check the path` }]);
  }
  if (bytes === undefined) {
    const message = `the file is larger than ${MAX_MEGABYTES} MB`;
    throw new ManifestError(file, [{ ...WHOLE_FILE, path: "", message }]);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const message = "the file is not UTF-8 text; save it as UTF-8";
    throw new ManifestError(file, [{ ...WHOLE_FILE, path: "", message }]);
  }
}

/** All bytes of a stream; undefined where there are more. */
async function readAtMost(source: Readable, maxBytes: number): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of source) {
    size += piece.length;
    if (size > maxBytes) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

interface ParseOptions {
  /**
   * References may stand in places of secrets only, and `env` is not the environment but what this gateway
   * knows under such names: whoever sends a file must not read back a secret as the name of a model.
   */
  readonly secretsOnly?: boolean;
  /** The replacement of a secret whose variable is not set; undefined = that is a problem. */
  readonly kept?: (name: string) => string | undefined;
}

/** The same for a text already read; `file` is what messages call it. */
export function parseManifest(
  text: string,
  env: Environment,
  file = "faregate.yaml",
  { secretsOnly = false, kept }: ParseOptions = {},
): Manifest {
  const tree = readYamlTree(text, env, secretsOnly ? isSecretPlace : undefined, (path, name) =>
    isSecretPlace(path) ? kept?.(name) : undefined,
  );
  const fail = (problems: readonly Problem[]): never => {
    const secrets = new Set([...tree.taken, ...writtenSecrets(tree.value)]);
    throw new ManifestError(
      file,
      problems.map((problem) => ({
        ...problem,
        path: redact(problem.path, secrets),
        message: redact(problem.message, secrets),
      })),
    );
  };
  // A text that is no YAML says nothing about its content yet.
  if (tree.value === undefined) return fail(tree.problems);
  if (tree.value === null)
    return fail([{ ...WHOLE_FILE, path: "", message: "the file is empty; begin with `version: 1`" }]);
  const { value, warnings } = respell(withoutEmptySections(tree.value));
  if (isRecord(value) && "model_list" in value && !("version" in value)) {
    const message = "this looks like a LiteLLM configuration; see docs/moving.md";
    return fail([{ ...tree.placeOfKey(["model_list"]), path: "", message }]);
  }
  const parsed = fileSchema.safeParse(value, { error: issueMessage });
  const issues = parsed.success ? [] : flattenIssues(parsed.error.issues);
  const reportedPaths = new Set(issues.map(({ path }) => JSON.stringify(path)));
  const more = checkFile(validParts(value)).filter(({ path }) => !reportedPaths.has(JSON.stringify(path)));
  const problems = [...tree.problems, ...[...issues, ...more].flatMap((issue) => locate(tree, issue))];
  if (problems.length > 0 || !parsed.success) return fail(problems);
  return { ...decodeFile(parsed.data, tree.referenceAt.bind(tree)), warnings };
}

function locate(tree: YamlTree, issue: Issue): Problem[] {
  if (tree.unreadable.has(JSON.stringify(issue.path))) return [];
  const place = issue.atKey ? tree.placeOfKey(issue.path) : tree.placeOf(issue.path);
  return [{ ...place, path: pathText(issue.path), message: issue.message }];
}

/** `settings:` with every line under it commented out is as good as absent. */
function withoutEmptySections(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const sections: readonly string[] = SECTIONS;
  return Object.fromEntries(
    Object.entries(value).filter(([name, section]) => section !== null || !sections.includes(name)),
  );
}

/** The parts that can be checked even if other parts of the file are invalid. */
export function validParts(value: unknown): CheckedFile {
  const file = isRecord(value) ? value : {};
  return {
    named: {
      groups: namedItems(file["groups"]),
      models: namedItems(file["models"]),
      upstreams: namedItems(file["upstreams"]),
      accounts: namedItems(file["accounts"]),
    },
    models: validItems(itemSchemas.models, file["models"]),
    upstreams: validItems(itemSchemas.upstreams, file["upstreams"]),
    // Every database has the group of those that name none.
    groupNames: namesIn(file["groups"], "name").add(DEFAULT_GROUP),
    modelIds: namesIn(file["models"], "id"),
    aliases: aliasesIn(namedItems(file["models"])),
    where: "in this file",
  };
}

function validItems<T>(schema: z.ZodType<T>, list: unknown): Item<T>[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((raw: unknown, index) => {
    const parsed = schema.safeParse(raw);
    if (parsed.success) return [{ index, value: parsed.data }];
    const mended = schema.safeParse(without(raw, flattenIssues(parsed.error.issues)));
    return mended.success ? [{ index, value: mended.data }] : [];
  });
}

/** A copy without the fields that are wrong: often the rest of the item can be judged all the same. */
function without(raw: unknown, issues: readonly Issue[]): unknown {
  const copy: unknown = structuredClone(raw);
  for (const { path } of issues) {
    const parent = path
      .slice(0, -1)
      .reduce<unknown>((node, step) => (node as Record<string, unknown>)?.[step], copy);
    // Taking an entry out of a list would move the others to wrong places.
    if (isRecord(parent)) delete (parent as Record<string, unknown>)[String(path.at(-1))];
  }
  return copy;
}

function aliasesIn(models: CheckedFile["named"]["models"]): Map<string, string> {
  return new Map(
    models.flatMap(({ value: { id, alias_of: target } }) =>
      id === undefined || target === undefined ? [] : [[id, target] as const],
    ),
  );
}

function namesIn(list: unknown, field: string): Set<string> {
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  return new Set(items.flatMap((item) => (isRecord(item) ? [String(item[field])] : [])));
}

const SECRET_FIELDS: Path = [
  "api_key",
  "api_keys",
  "credentials",
  "key",
  "metrics_token",
  "headers",
  "proxy",
];

const NAMED_SECRETS: readonly string[] = ["headers", "credentials"];

function isSecretPlace(path: Path): boolean {
  return path.some((step) => SECRET_FIELDS.includes(step));
}

/** Every text under a key that holds a secret, wherever it stands. */
function writtenSecrets(value: unknown, field?: string): string[] {
  const secret = field !== undefined;
  if (typeof value === "string") return secret ? [value] : [];
  if (typeof value === "number") return secret ? [String(value)] : [];
  if (Array.isArray(value)) return value.flatMap((item) => writtenSecrets(item, field));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    // Names of headers and of fields say what is wrong with them.
    ...(secret && !NAMED_SECRETS.includes(field) ? [name] : []),
    // A credential's `from` is a word of the format.
    ...(field === "credentials" && name === "from"
      ? []
      : writtenSecrets(inner, field ?? (SECRET_FIELDS.includes(name) ? name : undefined))),
  ]);
}
