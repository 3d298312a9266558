import { readCatalogVersion, readSettings } from "../../catalog/catalog-store.ts";
import { decodeSettings } from "../../catalog/settings.ts";
import { GatewayError } from "../../errors.ts";
import type { Applied } from "../../manifest/apply.ts";
import { ManifestConflict } from "../../manifest/diff/diff-accounts.ts";
import { exportManifest } from "../../manifest/export.ts";
import { ManifestError, WHOLE_FILE } from "../../manifest/file/problems.ts";
import { applyImport, planImport } from "../../manifest/import.ts";
import type { ConsoleDeps } from "../deps.ts";
import { json, type Operation, text } from "../operation.ts";
import { keepAccess } from "../settings/keep-access.ts";
import { changeCatalog } from "./change.ts";
import { type CatalogPlan, catalogImport, catalogImportApplied, catalogPlan } from "./contract.ts";

const described = { policy: "operator", tag: "catalog" } as const;

/** The catalog as a file: out, looked at, in. */
export function fileOperations(deps: ConsoleDeps): readonly Operation[] {
  return [download(deps), plan(deps), apply(deps)];
}

function download(deps: ConsoleDeps): Operation {
  return text({
    ...described,
    path: "/operator/catalog/file",
    summary: "The catalog as a file for `faregate apply`, with references instead of secrets",
    contentType: "application/yaml; charset=utf-8",
    fileName: () => "faregate.yaml",
    async *run() {
      yield await exportManifest(deps);
    },
  });
}

function plan(deps: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "POST",
    path: "/operator/catalog/plan",
    summary: "Preview importing a catalog file: changes or errors",
    unaudited: "it only compares",
    body: catalogImport,
    response: catalogPlan,
    async run({ body }) {
      const version = String(await readCatalogVersion(deps.database));
      try {
        const { text: file, prune } = body;
        return planned(await planImport(deps, { text: file, prune }), version);
      } catch (error) {
        return { ...refused(error), version };
      }
    },
  });
}

function apply(deps: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "POST",
    path: "/operator/catalog/apply",
    summary: "Import a catalog file atomically",
    body: catalogImportApplied,
    response: catalogPlan,
    async run(call) {
      const { text: file, prune, version } = call.body;
      try {
        const applied = await changeCatalog(deps, call, async (tx) => {
          if (version !== undefined && version !== String(await readCatalogVersion(tx)))
            throw new GatewayError(
              "conflict",
              "The catalog has changed since this preview. Preview it again.",
            );
          const before = decodeSettings(await readSettings(tx));
          const value = await applyImport(tx, deps, { text: file, prune });
          keepAccess(call, before, decodeSettings(await readSettings(tx)));
          const after = { changes: value.rendered.split("\n"), prune };
          return { value, note: { action: "catalog.import", subject: "catalog", after } };
        });
        return planned(applied, String(await readCatalogVersion(deps.database)));
      } catch (error) {
        if (error instanceof ManifestError)
          throw new GatewayError("invalid_request", error.message, { param: "text" });
        throw error;
      }
    },
  });
}

function planned({ changes, notes, rendered }: Applied, version: string): CatalogPlan {
  return {
    ok: true,
    problems: [],
    notes: [...notes],
    rendered,
    version,
    changes: changes.map((change) => ({ ...change, details: [...change.details] })),
  };
}

/** Every problem by its line; a contradiction to what the database holds stands at none, so at the first. */
function refused(error: unknown): Omit<CatalogPlan, "version"> {
  const nothing = { ok: false, changes: [], notes: [], rendered: "" };
  if (error instanceof ManifestError)
    return { ...nothing, problems: error.problems.map((each) => ({ ...each })) };
  if (error instanceof ManifestConflict)
    return { ...nothing, problems: [{ ...WHOLE_FILE, path: "", message: error.message }] };
  throw error;
}
