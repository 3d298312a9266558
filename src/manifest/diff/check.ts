import { type Issue, type Path, quoted } from "../../base/schema-issues.ts";
import { closestMatch } from "../../base/text.ts";
import { caseProblems, tableProblems } from "../../catalog/table-problems.ts";
import { endpointOf } from "../../catalog/vocabulary.ts";
import { CHAT_PROTOCOLS, type ProtocolName } from "../../conversation/protocol-name.ts";
import { FAMILY_NAMES, type Family, type FamilyModel } from "../../families/family.ts";
import { FAMILIES } from "../../families/table.ts";
import { kindOf, PRESET_KIND } from "../../upstreams/kinds.ts";
import { isPlainService, readServiceWord } from "../../usage/service-terms.ts";
import { type NamedItem, namedItems } from "../file/named-items.ts";
import { decodeTable, priceRows } from "../file/price-spelling.ts";
import type { FileModel, FilePrice, FileUpstream } from "../file/schema.ts";
import { checkCredentials } from "./check-credentials.ts";
import { checkOptions } from "./check-options.ts";

/** An item that is sound by itself, with its place in its list. */
export interface Item<T> {
  readonly index: number;
  readonly value: T;
}

/** The input of rules between items: the names in all items, invalid ones included, and the valid items. */
export interface CheckedFile {
  readonly named: Readonly<
    Record<"groups" | "models" | "upstreams" | "accounts", readonly Item<NamedItem>[]>
  >;
  readonly models: readonly Item<FileModel>[];
  readonly upstreams: readonly Item<FileUpstream>[];
  readonly groupNames: ReadonlySet<string>;
  readonly modelIds: ReadonlySet<string>;
  /** Names that are aliases, with the model that each stands for. */
  readonly aliases: ReadonlyMap<string, string>;
  /** The place in which names must be declared, for messages: "in this file". */
  readonly where: string;
}

/** The rules a schema of single values cannot say: references, duplicates, what each kind of model needs. */
export function checkFile(file: CheckedFile): Issue[] {
  const issues: Issue[] = [];
  const report = (path: Path, message: string): void => {
    issues.push({ path, message });
  };
  const checks: Checks = { file, report };
  const { groups, models, upstreams, accounts } = file.named;
  duplicates(groups, "name", ["groups"], report);
  duplicates(models, "id", ["models"], report);
  duplicates(upstreams, "name", ["upstreams"], report);
  duplicates(accounts, "name", ["accounts"], report);
  for (const { index, value } of models) checkGroups(checks, ["models", index], value);
  for (const { index, value } of upstreams) checkUpstreamNames(checks, ["upstreams", index], value);
  checkAccounts(checks);
  for (const { index, value } of file.models) checkModel(checks, ["models", index], value);
  for (const { index, value } of file.upstreams) checkUpstream(checks, ["upstreams", index], value);
  return issues;
}

interface Checks {
  readonly file: CheckedFile;
  report(path: Path, message: string): void;
}

function checkModel(checks: Checks, path: Path, model: FileModel): void {
  checkFallbacks(checks, [...path, "fallbacks"], model);
  if (model.family !== undefined && model.order !== undefined)
    checks.report([...path, "order"], "belongs to a text model; remove it");
  if (model.alias_of !== undefined) checkAlias(checks, path, model);
  else if (model.family === undefined) checkTextModel(checks, path, model);
  else checkMediaModel(checks, path, model, FAMILIES[model.family]);
}

function checkFallbacks(
  { file, report }: Checks,
  path: Path,
  { id, family, fallbacks = [] }: FileModel,
): void {
  if (family !== undefined && fallbacks.length > 0) report(path, "belongs to a text model; remove it");
  fallbacks.forEach(({ model }, index) => {
    const place = [...path, index, "model"];
    const target = file.aliases.get(model);
    if (!file.modelIds.has(model)) report(place, undeclared("model", model, file.modelIds, file.where));
    else if (target !== undefined) report(place, isAlias(file, target));
    else if (model === id) report(place, "is the model itself; name another one");
    else if (fallbacks.findIndex((each) => each.model === model) < index)
      report(place, "is already in this list");
  });
}

/** The problem of an alias in place of a model. If the alias has no model, the message suggests none. */
function isAlias({ modelIds, aliases }: CheckedFile, target = ""): string {
  const isModel = modelIds.has(target) && !aliases.has(target);
  return isModel ? `is an alias; use ${target}` : "is an alias; name a model";
}

/** An alias has nothing of its own, and stands for a model. */
function checkAlias({ file, report }: Checks, path: Path, model: FileModel): void {
  const { id, alias_of: target = "" } = model;
  if (!file.modelIds.has(target))
    report([...path, "alias_of"], undeclared("model", target, file.modelIds, file.where));
  else if (target === id) report([...path, "alias_of"], "is the alias itself; name a model");
  else if (file.aliases.has(target)) report([...path, "alias_of"], isAlias(file, file.aliases.get(target)));
  else if ([...file.aliases.values()].includes(id))
    report([...path, "alias_of"], "can't be set on a model that has aliases; change those first");
  for (const field of OF_ITS_MODEL) {
    if (!isUnwritten(model, field))
      report([...path, field], `belongs to the model ${target}; remove it from the alias`);
  }
}

const OF_ITS_MODEL = [
  "family",
  "variant",
  "owned_by",
  "endpoints",
  "groups",
  "context_tokens",
  "max_output_tokens",
  "fallbacks",
  "order",
  "price",
  "quirks",
] as const;

/** Two of the fields have a default, which says nothing. */
function isUnwritten(model: FileModel, field: (typeof OF_ITS_MODEL)[number]): boolean {
  if (field === "owned_by") return model.owned_by === "faregate";
  if (field === "quirks") return Object.keys(model.quirks).length === 0;
  return model[field] === undefined;
}

function checkTextModel({ report }: Checks, path: Path, model: FileModel): void {
  const endpoints = model.endpoints?.map(endpointOf) ?? [...CHAT_PROTOCOLS];
  endpoints.forEach((endpoint, index) => {
    if (endpoint !== "images" && endpoint !== "videos") return;
    report([...path, "endpoints", index], `needs a \`family\` (${FAMILY_NAMES.join(", ")}) on the model`);
  });
  if (model.variant !== undefined) report([...path, "variant"], "belongs to a media model; add its `family`");
  const generates = endpoints.some((endpoint) => CHAT_PROTOCOLS.some((protocol) => protocol === endpoint));
  const needs = generates ? (["input", "output"] as const) : (["input"] as const);
  if (generates) {
    for (const limit of ["context_tokens", "max_output_tokens"] as const) {
      if (model[limit] === undefined)
        report([...path, limit], "is required on a text model: it caps the cost of a request");
    }
  }
  const rows = priceRows(model);
  if (rows.length === 0)
    report([...path, "price"], "is required: a model without a price can't be used (0 makes it free)");
  checkMoments({ report }, path, model);
  for (const { row, path: under } of rows) {
    const place = [...path, ...under];
    for (const unit of ["per_image", "per_second"] as const) {
      if (row[unit]) report([...place, unit], "belongs to a media model; add its `family`");
    }
    for (const problem of tableProblems(decodeTable(row)))
      report([...place, ...problem.path], problem.message);
    for (const rate of needs) {
      if (row[rate] === undefined)
        report([...place, rate], "is required: USD per 1,000,000 tokens (0 makes it free)");
    }
  }
}

/** One of several prices holds at a time: each begins later than the one above it. */
function checkMoments({ report }: Pick<Checks, "report">, path: Path, model: FileModel): void {
  const rows = priceRows(model);
  rows.forEach(({ row: { from }, path: place }, index) => {
    if (index === 0) return;
    const before = rows[index - 1]?.row.from;
    const at = [...path, ...place, "from"];
    if (from === undefined) report(at, "is required: only the first price of a list can hold at once");
    else if (before !== undefined && Date.parse(from) <= Date.parse(before))
      report(at, `must be later than ${before}, when the price above it begins`);
  });
}

const PLACES = {
  image: { endpoint: "images", word: "image-generation", unit: "per_image" },
  video: { endpoint: "videos", word: "oa-video", unit: "per_second" },
} as const;

function checkMediaModel({ report }: Checks, path: Path, model: FileModel, family: Family): void {
  const { endpoint, word, unit } = PLACES[family.medium];
  model.endpoints?.forEach((written, index) => {
    if (endpointOf(written) !== endpoint)
      report([...path, "endpoints", index], `must be ${word}: family ${family.name} is served there only`);
  });
  const named = { id: model.id, variant: model.variant ?? null };
  const isKnown = family.variantOf(named) !== undefined;
  if (!isKnown) {
    const known = family.variants.map((each) => quoted(each)).join(", ");
    const why = model.variant === undefined ? "can't be derived from the id; set it to" : "must be";
    report([...path, "variant"], `${why} one of ${known}`);
  }
  const rows = priceRows(model);
  if (isKnown && rows.length === 0)
    checkMediaPrice({ report }, [...path, "price", unit], family, named, undefined);
  checkMoments({ report }, path, model);
  for (const { row, path: under } of rows) {
    const place = [...path, ...under];
    if (isKnown) checkMediaPrice({ report }, [...place, unit], family, named, row[unit]);
    const tokens = family.medium === "image" ? checkImageTokens({ report }, place, row) : [];
    const allowed: readonly string[] = ["from", unit, ...tokens];
    for (const each of Object.keys(row).filter((key) => !allowed.includes(key)))
      report([...place, each], `does not apply to family ${family.name}; use ${unit}`);
  }
  for (const limit of ["context_tokens", "max_output_tokens"] as const) {
    if (model[limit] !== undefined) report([...path, limit], "belongs to a text model; remove it");
  }
}

/** Prices of tokens that a model of images may have beside its prices of images. */
function checkImageTokens(
  { report }: Pick<Checks, "report">,
  path: Path,
  price: FilePrice,
): readonly string[] {
  const written = IMAGE_TOKENS.filter((name) => price[name] !== undefined);
  if (written.length === 0) return written;
  if (price.input === undefined) report([...path, "input"], "is required beside other prices of tokens");
  if (price.image?.output === undefined)
    report([...path, "image", "output"], "is required beside other prices of tokens");
  return written;
}

const IMAGE_TOKENS = ["input", "cache_read", "output", "image"] as const;

/** Every value that a caller may ask for needs a price: an order that nobody can price cannot be held for. */
function checkMediaPrice(
  { report }: Pick<Checks, "report">,
  path: Path,
  family: Family,
  model: FamilyModel,
  prices: Readonly<Record<string, unknown>> | undefined,
): void {
  for (const problem of caseProblems(path, prices ?? {})) report(problem.path, problem.message);
  const priced = new Set(Object.keys(prices ?? {}).map((word) => word.toLowerCase()));
  const missing = family.priceWords(model).filter((word) => !priced.has(word));
  if (missing.length === 0) return;
  const words = missing.join(", ");
  const message =
    prices === undefined
      ? `is required on a model of family ${family.name}: ${words} (0 makes it free)`
      : `has no price for ${words}, which callers can request (0 makes it free)`;
  report(path, message);
}

function checkUpstreamNames(checks: Checks, path: Path, upstream: NamedItem): void {
  const { report } = checks;
  checkBaseUrl(checks, path, upstream);
  checkGroups(checks, path, upstream);
  checkReference(checks, [...path, "api_key"], upstream.api_key);
  upstream.api_keys.forEach((secret, index, all) => {
    checkReference(checks, [...path, "api_keys", index], secret);
    if (all.indexOf(secret) !== index) report([...path, "api_keys", index], "is already in this list");
  });
  for (const [step, id] of modelNames(upstream)) {
    const place = [...path, "models", step];
    checkModelName(checks, place, id);
    const target = checks.file.aliases.get(String(id));
    if (target !== undefined) report(place, isAlias(checks.file, target));
  }
}

/** The address of a call, copied from a vendor's page: every request would go to a path below it. */
function checkBaseUrl({ report }: Checks, path: Path, { kind = "", preset, base_url: url }: NamedItem): void {
  if (url === undefined) {
    if (preset === undefined && kindOf(kind)?.baseUrlAt === undefined)
      report([...path, "base_url"], "is required");
    return;
  }
  const { paths = {}, modelsPath } = kindOf(kind) ?? {};
  const root = url.replace(/\/+$/, "");
  const ends = [...Object.values(paths), modelsPath ?? "/models"].map((end) => end.replace(/\{.*$/, ""));
  const end = ends.find((each) => root.endsWith(each) && each.length > 1);
  if (end !== undefined)
    report([...path, "base_url"], `ends in an endpoint's path; use ${root.slice(0, -end.length)}`);
}

/** The models of an upstream by your names; the step leads to the name in the file. */
function modelNames({ models }: Pick<NamedItem, "models">): [step: string | number, id: unknown][] {
  return Array.isArray(models) ? [...models.entries()] : Object.keys(models).map((id) => [id, id]);
}

function checkUpstream(checks: Checks, path: Path, upstream: FileUpstream): void {
  const { report } = checks;
  if (upstream.api_key !== undefined && upstream.api_keys !== undefined)
    report([...path, "api_keys"], "can't be combined with api_key; put all credentials into api_keys");
  if (upstream.preset !== undefined && upstream.kind !== PRESET_KIND)
    report([...path, "preset"], `belongs to kind ${PRESET_KIND}; remove it, or change the kind`);
  const kind = kindOf(upstream.kind, upstream.preset);
  checkCredentials(report, path, upstream);
  const paths: Partial<Record<ProtocolName, string>> = kind?.paths ?? {};
  upstream.protocols?.forEach((protocol, index) => {
    if (paths[protocol] === undefined)
      report([...path, "protocols", index], `isn't supported by kind ${upstream.kind}`);
  });
  upstream.unasked_tiers.forEach((tier, index) => {
    checkServiceWord(checks, [...path, "unasked_tiers", index], tier);
  });
  if (upstream.region !== null) checkServiceWord(checks, [...path, "region"], upstream.region);
  checkOptions(report, path, upstream);
  const models = new Set(modelNames(upstream).map(([, id]) => String(id)));
  checkCost(checks, [...path, "cost", "prices"], upstream.cost?.prices ?? {}, models);
}

/** A tier or a region as a response would name it. */
function checkServiceWord({ report }: Checks, path: Path, word: string): void {
  if (isPlainService(word)) report(path, "means plain service, whose price is the base price; remove it");
  else if (readServiceWord(word) === undefined)
    report(path, "must be a word of letters, digits, dots, hyphens and underscores");
}

/** A cost is computed as a charge is, so its prices are held to the same rules. */
function checkCost(
  { report }: Checks,
  path: Path,
  prices: NonNullable<FileUpstream["cost"]>["prices"],
  models: ReadonlySet<string>,
): void {
  for (const [model, price] of Object.entries(prices)) {
    if (!models.has(model)) report([...path, model], `isn't a model of this upstream`);
    if (price.input === undefined) report([...path, model, "input"], "is required: USD per 1,000,000 tokens");
    for (const { path: place, message } of tableProblems(decodeTable(price)))
      report([...path, model, ...place], message);
  }
}

function checkAccounts(checks: Checks): void {
  const { file, report } = checks;
  const owners = new Map<string, string>();
  for (const { index, value: account } of file.named.accounts) {
    const path: Path = ["accounts", index];
    checkGroup(checks, [...path, "group"], account.group);
    const keys = namedItems(account.keys);
    duplicates(keys, "name", [...path, "keys"], report);
    for (const { index: at, value: key } of keys) {
      const place: Path = [...path, "keys", at];
      checkReference(checks, [...place, "key"], key.key);
      const owner = key.key && owners.get(key.key);
      if (owner) report([...place, "key"], `is the same as that of ${owner}; keys must be unique`);
      if (key.key) owners.set(key.key, owner ?? `${account.name}/${key.name}`);
      for (const [step, id] of modelNames(key)) checkModelName(checks, [...place, "models", step], id);
    }
  }
}

/** LiteLLM's way to name a variable would pass as a credential, and every request would fail with it. */
function checkReference({ report }: Checks, path: Path, secret: unknown): void {
  if (typeof secret !== "string") return;
  const [, name] = /^os\.environ\/(.+)$/.exec(secret) ?? [];
  if (name !== undefined) report(path, `uses LiteLLM's syntax for variables; write \${${name}}`);
  const [, bare] = /^\$([A-Za-z_][A-Za-z0-9_]*)$/.exec(secret) ?? [];
  if (bare !== undefined) report(path, `is no reference to a variable without braces; write \${${bare}}`);
}

function checkGroups(checks: Checks, path: Path, { groups }: Pick<NamedItem, "groups">): void {
  groups.forEach((group, index) => {
    checkGroup(checks, [...path, "groups", index], group);
  });
}

function checkGroup({ file, report }: Checks, path: Path, group: unknown): void {
  if (typeof group === "string" && !file.groupNames.has(group))
    report(path, undeclared("group", group, file.groupNames, file.where));
}

function checkModelName({ file, report }: Checks, path: Path, id: unknown): void {
  if (typeof id === "string" && !file.modelIds.has(id))
    report(path, undeclared("model", id, file.modelIds, file.where));
}

function undeclared(what: string, name: string, declared: ReadonlySet<string>, where: string): string {
  const near = closestMatch(name, [...declared]);
  const hint = near === undefined ? `declare it under ${what}s` : `did you mean ${quoted(near)}?`;
  return `no ${what} ${quoted(name)} is declared ${where}; ${hint}`;
}

function duplicates(
  items: readonly Item<NamedItem>[],
  field: "id" | "name",
  path: Path,
  report: Checks["report"],
): void {
  const seen = new Map<string, number>();
  for (const { index, value } of items) {
    const name = value[field];
    if (name === undefined) continue;
    const first = seen.get(name);
    if (first === undefined) seen.set(name, index);
    else
      report(
        [...path, index, field],
        `${quoted(name)} is already declared, as number ${first + 1} of this list`,
      );
  }
}
