import type { ModelDeclaration } from "../../catalog/models-store.ts";
import { decodeSettings, type SettingsFile } from "../../catalog/settings.ts";
import { changedSecrets, keepReferences } from "../../catalog/upstream-options.ts";
import {
  type CredentialDeclaration,
  UPSTREAM_DEFAULTS,
  type UpstreamDeclaration,
} from "../../catalog/upstreams-store.ts";
import { encodeComing, encodeGroup, encodeModel, encodeUpstream } from "../file/encode-file.ts";
import type { FileRecord } from "../file/file-value.ts";
import { DEFAULT_GROUP, type DeclaredUpstream, type Manifest, type Section } from "../manifest.ts";
import { changedFields, setFields } from "./changed-fields.ts";
import type { Change, Plan } from "./changes.ts";
import { diffAccounts, type KeyFacts } from "./diff-accounts.ts";
import type { State } from "./state.ts";

export interface DiffOptions extends KeyFacts {
  /** Also remove what the file no longer names, in the sections that it has. */
  readonly prune: boolean;
}

/**
 * The changes after which the database holds the manifest's declarations. Pure. Additions come first, in the order in
 * which they refer to each other (groups first, keys last); removals come last, the other way round. Secrets appear in
 * no detail and no note.
 */
export function diffManifest(state: State, manifest: Manifest, options: DiffOptions): Plan {
  const accounts = diffAccounts(state, manifest, options);
  const pruned = (section: Section): boolean => options.prune && manifest.sections.has(section);
  const removed = [
    ...(pruned("upstreams")
      ? gone("upstream", state.upstreams.map(nameOf), manifest.upstreams.map(nameOf))
      : []),
    ...(pruned("models") ? gone("model", state.models.map(idOf), manifest.models.map(idOf)) : []),
  ];
  const groups = pruned("groups") ? pruneGroups(state, manifest) : NOTHING;
  const upstreams = diffUpstreams(state, manifest);
  return {
    changes: [
      ...diffGroups(state, manifest),
      ...diffModels(state, manifest),
      ...upstreams.changes,
      ...diffSettings(state, manifest),
      ...accounts.changes,
      ...accounts.removals,
      ...removed,
      ...groups.changes,
    ],
    notes: [...upstreams.notes, ...accounts.notes, ...groups.notes],
  };
}

const NOTHING: Plan = { changes: [], notes: [] };
const nameOf = ({ name }: { readonly name: string }): string => name;
const idOf = ({ id }: { readonly id: string }): string => id;

function diffGroups(state: State, manifest: Manifest): Change[] {
  const known = new Map(state.groups.map((group) => [group.name, group]));
  return manifest.groups.flatMap((group): Change[] => {
    const before = known.get(group.name);
    const facts = { subject: "group", name: group.name, group } as const;
    if (!before) return [{ ...facts, action: "create", details: described(encodeGroup(group)) }];
    return updated(encodeGroup(before), encodeGroup(group), (details) => ({
      ...facts,
      action: "update",
      details,
    }));
  });
}

function diffModels(state: State, manifest: Manifest): Change[] {
  const known = new Map(state.models.map((model) => [model.id, model]));
  return manifest.models.flatMap((declared): Change[] => {
    const before = known.get(declared.id);
    if (!before)
      return [
        {
          subject: "model",
          action: "create",
          name: declared.id,
          details: newModel(declared),
          model: declared,
        },
      ];
    const model = { ...declared, created: declared.created ?? before.created };
    const details = changedFields(comparable(before), comparable(model));
    if (details.length === 0) return [];
    return [{ subject: "model", action: "update", name: model.id, details, model }];
  });
}

/** The model as the file has it, but each price to come beside the one in force, under its moment. */
function comparable(model: ModelDeclaration): FileRecord {
  const { coming = [], ...now } = model;
  const rows = coming.map((row): [string, FileRecord] => {
    const { from, ...price } = encodeComing(row);
    return [`price from ${String(from)}`, price];
  });
  return { ...encodeModel(now), ...Object.fromEntries(rows) };
}

/** A new model's endpoints and prices in the file's form, so that a mistyped price is seen before it is charged. */
function newModel(declared: ModelDeclaration): string[] {
  const { id: _, endpoints, ...fields } = comparable(declared);
  if (declared.aliasOf !== undefined) return setFields(fields, {});
  return [String(endpoints).replaceAll(",", ", "), ...setFields(fields, { owned_by: "faregate" })];
}

/** Everything of a new upstream but its secrets. */
function newUpstream(upstream: UpstreamDeclaration): string[] {
  const { name: _, kind, models, ...fields } = encodeUpstream(upstream);
  const defaults = {
    ...upstream,
    ...UPSTREAM_DEFAULTS,
    baseUrl: "",
    protocols: null,
    groups: null,
    cost: null,
    options: undefined,
  };
  const { kind: _kind, models: _models, ...usual } = encodeUpstream(defaults);
  const names = Object.entries(models as FileRecord).map(([id, vendorName]) =>
    id === vendorName ? id : `${id}: ${String(vendorName)}`,
  );
  return [String(kind), ...setFields(fields, usual), `models [${names.join(", ")}]`];
}

function diffUpstreams(state: State, manifest: Manifest): Plan {
  const known = new Map(state.upstreams.map((upstream) => [upstream.name, upstream]));
  const notes: string[] = [];
  const changes = manifest.upstreams.flatMap((declared): Change[] => {
    const { name } = declared;
    const before = known.get(name);
    const upstream = complete(declared, before);
    if (!before)
      return [{ subject: "upstream", action: "create", name, details: newUpstream(upstream), upstream }];
    if (!before.enabled && declared.enabled === undefined)
      notes.push(`upstream ${name} stays disabled; set "disabled: false" to enable it`);
    const details = [
      ...changedFields(encodeUpstream(before), encodeUpstream(upstream)),
      ...credentialDetails(before.credentials, upstream.credentials),
      ...changedSecrets(before.options, upstream.options),
    ];
    return details.length > 0 ? [{ subject: "upstream", action: "update", name, details, upstream }] : [];
  });
  return { changes, notes };
}

/** Fields that the file leaves out stay as they are: the upstream and each credential enabled or not. */
function complete(declared: DeclaredUpstream, before: State["upstreams"][number] | undefined) {
  const known = new Map(before?.credentials.map((credential) => [credential.secret, credential]));
  return {
    ...declared,
    options: keepReferences(declared.options, before?.options),
    enabled: declared.enabled ?? before?.enabled ?? UPSTREAM_DEFAULTS.enabled,
    credentials: declared.credentials.map((credential): CredentialDeclaration => {
      const kept = known.get(credential.secret);
      return kept
        ? { ...credential, enabled: kept.enabled, reference: credential.reference ?? kept.reference }
        : credential;
    }),
  };
}

/** Credentials are what they open with: their order and their names mean nothing. */
function credentialDetails(
  before: readonly CredentialDeclaration[],
  after: readonly CredentialDeclaration[],
): string[] {
  const secrets = (list: typeof before): string =>
    list
      .map(({ secret }) => secret)
      .sort()
      .join("\n");
  if (secrets(before) !== secrets(after)) return ["credentials (changed)"];
  const origins = (list: typeof before): string =>
    list
      .map(({ secret, reference }) => `${secret} ${reference}`)
      .sort()
      .join("\n");
  // A name for a secret that was written out, or the reverse, is no difference in what is declared.
  const named = before.every(({ reference }) => reference !== null);
  return named && origins(before) !== origins(after) ? ["credentials (other variable, same value)"] : [];
}

function diffSettings(state: State, manifest: Manifest): Change[] {
  if (!manifest.sections.has("settings")) return [];
  const { settings } = manifest;
  const [before, after] = [state.settings as FileRecord, settings as FileRecord];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...names].filter(
    (name) => changedFields(pick(before, name), pick(after, name)).length > 0,
  );
  const pinned = changed.filter((name) => isSameInEffect(state.settings, settings, name));
  const details = changed
    .filter((name) => !pinned.includes(name))
    .flatMap((name) => changedFields(pick(before, name), pick(after, name)))
    .map((each) => (each.startsWith("metrics_token ") ? "metrics_token (changed)" : each));
  // Stored all the same: a later version's default would be another.
  if (pinned.length > 0) details.push(`same as the default: ${pinned.join(", ")}`);
  return details.length === 0 ? [] : [{ subject: "settings", action: "update", name: "", details, settings }];
}

function pick(record: FileRecord, name: string): FileRecord {
  return { [name]: record[name] };
}

/** True if a setting is only written out, or left out, at its default. */
function isSameInEffect(before: SettingsFile, after: SettingsFile, name: string): boolean {
  const changed = { ...before, ...pick(after as FileRecord, name) } as SettingsFile;
  return JSON.stringify(decodeSettings(before)) === JSON.stringify(decodeSettings(changed));
}

function pruneGroups(state: State, manifest: Manifest): Plan {
  const declared = new Map(manifest.accounts.map(({ name, group }) => [name, group]));
  const members = new Map(state.accounts.map(({ name, group }) => [declared.get(name) ?? group, name]));
  const kept = [DEFAULT_GROUP, ...manifest.groups.map(nameOf)];
  const removable = gone("group", state.groups.map(nameOf), kept);
  return {
    changes: removable.filter(({ name }) => !members.has(name)),
    notes: removable.flatMap(({ name }) => {
      const member = members.get(name);
      return member === undefined
        ? []
        : [`group ${name} stays because account ${member} is in it; move the account to another group first`];
    }),
  };
}

function gone(
  subject: "group" | "model" | "upstream",
  before: readonly string[],
  declared: readonly string[],
): Change[] {
  const named = new Set(declared);
  return before.flatMap((name): Change[] =>
    named.has(name) ? [] : [{ subject, action: "delete", name, details: [] }],
  );
}

function updated(before: FileRecord, after: FileRecord, make: (details: string[]) => Change): Change[] {
  const details = changedFields(before, after);
  return details.length > 0 ? [make(details)] : [];
}

function described({ name: _, ...fields }: FileRecord): string[] {
  return Object.entries(fields).map(([field, value]) => `${field} ${String(value)}`);
}
