import { isRecord } from "../base/json/record.ts";
import { formatUsd } from "../base/money.ts";
import { UPSTREAM_DEFAULTS } from "../catalog/upstreams-store.ts";
import { isPlainKey, PLAIN_KEY, partsOf } from "../upstreams/credentials/credential-forms.ts";
import { kindOf } from "../upstreams/kinds.ts";
import { presetOf } from "../upstreams/vendor-presets.ts";
import type { ManifestDeps } from "./apply.ts";
import { type AccountState, readState, type State } from "./diff/state.ts";
import {
  encodeAccount,
  encodeGroup,
  encodeKey,
  encodeModel,
  encodeUpstream,
  writeYaml,
} from "./file/encode-file.ts";
import { decimalValue, type FileRecord, type FileValue } from "./file/file-value.ts";
import {
  createReferenceNames,
  type ReferenceNames,
  referToCredentials,
  referToKey,
  referToMetricsToken,
  referToOption,
} from "./file/reference-names.ts";
import { escapeReferences } from "./file/references.ts";

/**
 * The current catalog as a catalog file: applying it again changes nothing. Secrets stand as references to
 * environment variables, listed at its top. Throws SealError under a wrong master key.
 */
export async function exportManifest({
  database,
  seals,
}: Pick<ManifestDeps, "database" | "seals">): Promise<string> {
  const state = await database.transaction((tx) => readState(tx, seals), {
    isolation: "repeatable read",
    readOnly: true,
  });
  return renderState(state);
}

function renderState(state: State): string {
  const names = createReferenceNames();
  const own = new Set(state.models.flatMap(({ id, aliasOf }) => (aliasOf === undefined ? [id] : [])));
  // An alias without its model has no effect either.
  const models = state.models.filter(({ aliasOf }) => aliasOf === undefined || own.has(aliasOf));
  const known = {
    groups: new Set(state.groups.map(({ name }) => name)),
    models: new Set(models.map(({ id }) => id)),
    own,
  };
  const file: FileRecord = {
    version: 1,
    groups: state.groups.map((group) => literal(encodeGroup(group))),
    models: models.map((model) => exportModel(model, known)),
    upstreams: state.upstreams.map((upstream) => exportUpstream(upstream, known, names)),
    settings: exportSettings(state, names),
    accounts: state.accounts.map((account) => exportAccount(account, known, names)),
  };
  const hasKeysOfHoldersOnly = state.accounts.some(({ keys }) =>
    keys.some(({ reference }) => reference === null),
  );
  return writeYaml(file, heading(names, hasKeysOfHoldersOnly));
}

/**
 * The names that may be referred to. Models and groups can be removed while others still name them, which has no
 * effect; a file that names them would be refused.
 */
interface Known {
  readonly groups: ReadonlySet<string>;
  readonly models: ReadonlySet<string>;
  /** Those that are no aliases. */
  readonly own: ReadonlySet<string>;
}

function exportSettings({ settings }: State, names: ReferenceNames): FileRecord {
  const record = literal(settings as FileRecord);
  const token = settings.metrics_token;
  return token == null ? record : { ...record, metrics_token: referToMetricsToken(token, names) };
}

function exportModel(model: State["models"][number], known: Known): FileRecord {
  const groups = model.groups && new Set(intersection(model.groups, known.groups));
  const named = model.fallbacks?.filter((fallback) => known.own.has(fallback.model)) ?? [];
  const fallbacks = named.length === 0 ? undefined : named;
  return compact(literal(encodeModel({ ...model, groups, fallbacks })), { owned_by: "faregate" });
}

function exportUpstream(
  upstream: State["upstreams"][number],
  known: Known,
  names: ReferenceNames,
): FileRecord {
  const models = new Map([...upstream.models].filter(([id]) => known.own.has(id)));
  const groups = upstream.groups && new Set(intersection(upstream.groups, known.groups));
  const { name, kind, preset, base_url, ...rest } = literal(encodeUpstream({ ...upstream, models, groups }));
  const plain = [...models].every(([ours, theirs]) => ours === theirs);
  const record = {
    name,
    kind,
    preset,
    base_url: upstream.baseUrl === presetOf(upstream.preset)?.baseUrl ? undefined : base_url,
    ...credentialFields(upstream, names),
    ...rest,
    ...optionFields(upstream, names),
    models: plain ? [...models.keys()] : rest["models"],
  };
  const { priority, weight, probe } = UPSTREAM_DEFAULTS;
  return compact(record, { priority, weight, probe, disabled: false });
}

function credentialFields(upstream: State["upstreams"][number], names: ReferenceNames): FileRecord {
  const references = referToCredentials(upstream, names);
  const forms = kindOf(upstream.kind)?.credentialForms;
  const parts = upstream.credentials.map(({ secret }) => (forms === undefined ? {} : partsOf(secret)));
  if (parts.some((each) => !isPlainKey(each))) {
    const written = parts.map((fields, index) =>
      Object.fromEntries(
        Object.entries(fields).map(([field, value]) => [
          field,
          references[index]?.get(field) ?? escapeReferences(value),
        ]),
      ),
    );
    return { credentials: written };
  }
  const keys = references.flatMap((each) => each.get(PLAIN_KEY) ?? []);
  const [only] = keys;
  if (only === undefined) return {};
  return keys.length > 1 ? { api_keys: keys } : { api_key: only };
}

function optionFields(upstream: State["upstreams"][number], names: ReferenceNames): FileRecord {
  const headers = Object.keys(upstream.options?.headers ?? {}).map(
    (name) => [name, referToOption(upstream, `headers.${name}`, names)] as const,
  );
  return { headers: Object.fromEntries(headers), proxy: referToOption(upstream, "proxy", names) };
}

function exportAccount(account: AccountState, known: Known, names: ReferenceNames): FileRecord {
  const keys = account.keys.map((key): FileRecord => {
    const { name, ...rest } = literal(
      encodeKey({ ...key, models: key.models && intersection(key.models, known.models) }),
    );
    const secret = key.reference === null ? undefined : referToKey(account, key, names);
    return compact({ name, key: secret, ...rest }, { disabled: false });
  });
  return compact(
    {
      ...literal(encodeAccount(account)),
      balance: account.openingNanos === null ? undefined : decimalValue(formatUsd(account.openingNanos)),
      keys: keys.length > 0 ? keys : undefined,
    },
    { disabled: false },
  );
}

/** Without what is not there, empty mappings, and what has its default anyway. */
function compact(record: FileRecord, defaults: FileRecord): FileRecord {
  const fields = Object.entries(record).flatMap(([name, value]): [string, FileValue][] => {
    if (value === undefined || value === defaults[name]) return [];
    if (!isRecord(value)) return [[name, value]];
    const inner = compact(value, {});
    // Mappings that may be left out; what upstreams serve may not.
    return Object.keys(inner).length > 0 || name === "models" ? [[name, inner]] : [];
  });
  return Object.fromEntries(fields);
}

/** The same, with every text written so that reading it gives it back. */
function literal(record: FileRecord): FileRecord {
  const write = (value: FileValue): FileValue => {
    if (typeof value === "string") return escapeReferences(value);
    if (Array.isArray(value)) return value.map(write);
    return isRecord(value) ? literal(value) : value;
  };
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, value === undefined ? value : write(value)]),
  );
}

function intersection(names: Iterable<string>, known: ReadonlySet<string>): string[] {
  return [...names].filter((name) => known.has(name));
}

function heading(names: ReferenceNames, hasKeysOfHoldersOnly: boolean): string[] {
  const variables = names.list();
  return [
    "yaml-language-server: $schema=./faregate.schema.json",
    "",
    "Exported by `faregate export`.",
    ...(hasKeysOfHoldersOnly ? KEYS_OF_HOLDERS : []),
    ...(variables.length === 0
      ? []
      : [...VARIABLES, "", ...variables.map(([name, meaning]) => `  ${name}: ${meaning}`)]),
  ];
}

const KEYS_OF_HOLDERS = [
  "API keys without `key` are known only to their holders: applying this file doesn't change them.",
];

const VARIABLES = [
  "Secrets are replaced by these variables. `faregate apply` keeps a secret whose variable is not set; a start with this",
  "file, and another gateway, need them all.",
];
