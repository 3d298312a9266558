import { resolve, sep } from "node:path";
import { z } from "zod";
import { readSettings, writeSettings } from "../../catalog/catalog-store.ts";
import { decodeSettings, type SettingsFile, settingsFile } from "../../catalog/settings.ts";
import { keptSettings } from "../../manifest/apply.ts";
import { readSettings as judgeSettings } from "../../manifest/file/read-item.ts";
import { changeCatalog } from "../catalog/change.ts";
import type { ConsoleDeps } from "../deps.ts";
import { revisionOf } from "../input.ts";
import { json, type Operation } from "../operation.ts";
import { type SettingsResponse, settings, settingsChange } from "./contract.ts";
import { keepAccess } from "./keep-access.ts";
import { readDatabaseFacts, readServingProcesses } from "./runtime-store.ts";

const described = { path: "/operator/settings", policy: "operator", tag: "settings" } as const;

/** The settings of the gateway and its runtime. */
export function settingsOperations(deps: ConsoleDeps): readonly Operation[] {
  return [
    json({
      ...described,
      method: "GET",
      summary: "Settings with descriptions, and the environment",
      response: settings,
      conditional: true,
      run: async () => describe(deps, await readSettings(deps.database)),
    }),
    json({
      ...described,
      method: "PUT",
      summary: "Replace the settings; omitted ones get their default",
      body: settingsChange,
      response: settings,
      conditional: true,
      async run(call) {
        const written = await changeCatalog(deps, call, async (tx) => {
          const file = keptSettings(deps.hasher, judgeSettings(call.body.overrides));
          const before = await readSettings(tx);
          call.expectRevision(revisionOf(before));
          keepAccess(call, decodeSettings(before), decodeSettings(file));
          await writeSettings(tx, file);
          return {
            value: await readSettings(tx),
            note: { action: "settings.update", subject: "settings", before, after: file },
          };
        });
        return describe(deps, written);
      },
    }),
  ];
}

async function describe(
  { database, runtime, version, publicUrl }: ConsoleDeps,
  file: SettingsFile,
): Promise<SettingsResponse> {
  const facts = await readDatabaseFacts(database);
  const processes = await readServingProcesses(database);
  return {
    overrides: file,
    revision: revisionOf(file),
    fields: describeFields(file),
    environment: runtime.variables.map(({ name, isSet }) => ({ name, is_set: isSet })),
    applies_file: runtime.configFile !== undefined,
    version,
    public_url: await publicUrl(),
    database: {
      kind: isWithin(facts.folder, runtime.dataDir) ? "embedded" : "server",
      version: facts.version,
      size_bytes: String(facts.sizeBytes),
    },
    processes: processes.map(({ label, since }) => ({
      label,
      since: since.toISOString(),
      is_this: label === runtime.label,
    })),
  };
}

function describeFields(file: SettingsFile): SettingsResponse["fields"] {
  const effective = inFileForm(decodeSettings(file));
  const defaults = inFileForm(decodeSettings({}));
  const { properties = {} } = z.toJSONSchema(settingsFile, { unrepresentable: "any", io: "input" });
  return Object.keys(settingsFile.shape).map((field) => {
    const name = field as keyof SettingsFile;
    const { description = "", ...schema } = properties[name] as Record<string, unknown> & {
      description?: string;
    };
    return {
      name,
      description,
      schema,
      is_set: file[name] !== undefined,
      effective: effective[name] ?? null,
      default: defaults[name] ?? null,
    };
  });
}

/** `usageRetentionDays` is `usage_retention_days` in the file, at every depth. */
function inFileForm(value: object): Record<string, unknown> {
  const encode = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(encode);
    return typeof inner === "object" && inner !== null ? inFileForm(inner) : inner;
  };
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      encode(inner),
    ]),
  );
}

function isWithin(folder: string | null, dataDir: string): boolean {
  return folder !== null && resolve(folder).startsWith(`${resolve(dataDir)}${sep}`);
}
