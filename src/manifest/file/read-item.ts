import { flattenIssues, issueMessage, type Path, pathText } from "../../base/schema-issues.ts";
import type { ModelDeclaration } from "../../catalog/models-store.ts";
import type { SettingsFile } from "../../catalog/settings.ts";
import { checkFile } from "../diff/check.ts";
import type { DeclaredUpstream, Manifest } from "../manifest.ts";
import { decodeFile } from "./decode-file.ts";
import { validParts } from "./read.ts";
import { fileSchema } from "./schema.ts";

/** The catalog's names that an item may use. */
export interface KnownNames {
  readonly groups: ReadonlySet<string>;
  readonly models: ReadonlySet<string>;
  /** Those of the models that are aliases, with the model that each stands for; absent = none. */
  readonly aliases?: ReadonlyMap<string, string>;
}

/** An item that a catalog file could not have; `path` is the field at fault, as in `price.input`. */
export class ItemError extends Error {
  override readonly name = "ItemError";
  readonly path: string;
  readonly #problem: string;

  constructor(path: string, message: string) {
    super(path === "" ? message : `${path}: ${message}`);
    this.path = path;
    this.#problem = message;
  }

  /** The same of a form whose fields have other names. */
  under(rename: (path: string) => string): ItemError {
    return new ItemError(rename(this.path), this.#problem);
  }
}

/** A model in the form it has in a catalog file, read by the file's own rules. Throws ItemError. */
export function readModel(model: unknown, known: KnownNames): ModelDeclaration {
  return only(readItem({ models: [model] }, ["models", 0], known).models);
}

/** The same for an upstream, its credentials in `api_keys`. Its references are not looked up: texts are as they are. */
export function readUpstream(upstream: unknown, known: KnownNames): DeclaredUpstream {
  return only(readItem({ upstreams: [upstream] }, ["upstreams", 0], known).upstreams);
}

/** The same for the settings as a whole. */
export function readSettings(settings: unknown): SettingsFile {
  return readItem({ settings }, ["settings"], NO_NAMES).settings;
}

const NO_NAMES: KnownNames = { groups: new Set(), models: new Set() };

function readItem(section: Readonly<Record<string, unknown>>, place: Path, known: KnownNames): Manifest {
  const value = { version: 1, ...section };
  const parsed = fileSchema.safeParse(value, { error: issueMessage });
  const issues = parsed.success ? [] : flattenIssues(parsed.error.issues);
  const parts = validParts(value);
  const modelIds = new Set([...known.models, ...parts.modelIds]);
  const aliases = new Map([...(known.aliases ?? []), ...parts.aliases]);
  const names = { groupNames: known.groups, modelIds, aliases };
  const checked = checkFile({ ...parts, ...names, where: "in the catalog" });
  const [first] = [...issues, ...checked];
  if (first !== undefined) throw new ItemError(pathText(first.path.slice(place.length)), first.message);
  if (!parsed.success) throw new ItemError("", "cannot be read");
  return decodeFile(parsed.data, () => null);
}

function only<T>([item]: readonly T[]): T {
  if (item === undefined) throw new ItemError("", "is required");
  return item;
}
