import { isDeepStrictEqual } from "node:util";
import { assert } from "../../base/assert.ts";
import { systemClock } from "../../base/clock.ts";
import type { Model as CatalogModel } from "../../catalog/catalog.ts";
import { pricedAt } from "../../catalog/coming-prices.ts";
import {
  deleteModel,
  readModels,
  readPriceHistory,
  readPriceTimes,
  upsertModel,
} from "../../catalog/models-store.ts";
import { readUpstreams } from "../../catalog/upstreams-store.ts";
import { GatewayError } from "../../errors.ts";
import { encodeModel } from "../../manifest/file/encode-file.ts";
import { ItemError, type KnownNames, readModel } from "../../manifest/file/read-item.ts";
import type { Queryable } from "../../storage/database.ts";
import type { AuditNote } from "../../users/audit-store.ts";
import type { ConsoleDeps } from "../deps.ts";
import { json, type Operation } from "../operation.ts";
import { changeCatalog, readKnownNames, withoutNulls } from "./change.ts";
import { type ModelTerms, model, models, modelTerms, newModel, priceHistory, removed } from "./contract.ts";
import { modelResponse, modelRevision, priceResponse } from "./model-response.ts";

const described = { policy: "operator", tag: "catalog" } as const;
const MODELS = "/operator/models";
const MODEL = "/operator/models/{model}";

/** Models and their prices. The id in a path is percent-encoded, as it may hold a slash. */
export function modelOperations(deps: ConsoleDeps): readonly Operation[] {
  return [list(deps), create(deps), show(deps), update(deps), remove(deps), history(deps)];
}

function list(deps: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "GET",
    path: MODELS,
    summary: "All models with current price and upstreams",
    response: models,
    run: async () => ({ data: await responsesOf(deps), next: null }),
  });
}

function create(deps: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "POST",
    path: MODELS,
    makes: true,
    summary: "Add a model",
    body: newModel,
    response: model,
    async run(call) {
      const { id, ...terms } = call.body;
      await changeCatalog(deps, call, async (tx) => {
        if ((await findModel(tx, id)) !== undefined)
          throw new GatewayError("conflict", `A model ${id} already exists.`, { param: "id" });
        return write(tx, id, terms, undefined);
      });
      return await responseOf(deps, id);
    },
  });
}

function show(deps: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "GET",
    path: MODEL,
    summary: "One model with current price and upstreams",
    response: model,
    conditional: true,
    // Not of the catalog in memory, which may be moments old: whoever reads this is about to write.
    run: async ({ params }) => responseFor(deps, await modelOf(deps.database, params["model"] ?? "")),
  });
}

function update(deps: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "PUT",
    path: MODEL,
    scope: "billing",
    summary: "Replace a model; a new price adds a row to the price book",
    body: modelTerms,
    response: model,
    conditional: true,
    async run(call) {
      const id = call.params["model"] ?? "";
      const written = await changeCatalog(deps, call, async (tx) => {
        const before = await modelOf(tx, id);
        call.expectRevision(modelRevision(before));
        const { note } = await write(tx, id, call.body, before);
        if (!call.reaches("all")) expectPricesOnly(note);
        return { value: await modelOf(tx, id), note };
      });
      return responseFor(deps, written);
    },
  });
}

function remove(deps: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "DELETE",
    path: MODEL,
    summary: "Remove a model; its prices are kept for receipts",
    response: removed,
    conditional: true,
    run: (call) =>
      changeCatalog(deps, call, async (tx) => {
        const before = await modelOf(tx, call.params["model"] ?? "");
        call.expectRevision(modelRevision(before));
        await deleteModel(tx, before.id);
        return {
          value: { removed: true as const },
          note: { action: "model.delete", subject: before.id, before: encodeModel(before) },
        };
      }),
  });
}

function history({ database }: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "GET",
    path: `${MODEL}/prices`,
    summary: "Price history of a model",
    response: priceHistory,
    async run({ params }) {
      const id = params["model"] ?? "";
      const rows = await readPriceHistory(database, id);
      const inForce = (await findModel(database, id))?.price?.id;
      if (rows.length === 0 && inForce === undefined) await modelOf(database, id);
      return {
        data: rows.map((row) => ({
          id: String(row.id),
          since: row.since.toISOString(),
          price: priceResponse(row),
          in_force: row.id === inForce,
        })),
        next: null,
      };
    },
  });
}

/** Users who may only change prices are refused a form that changes anything else of a model. */
function expectPricesOnly({ before, after }: AuditNote): void {
  if (isDeepStrictEqual(withoutPrices(before), withoutPrices(after))) return;
  throw new GatewayError("forbidden", "Your role may change only the prices of a model.");
}

function withoutPrices(item: unknown): Readonly<Record<string, unknown>> {
  const { price: _, ...others } = item as { readonly price?: unknown };
  return others;
}

async function write(tx: Queryable, id: string, terms: ModelTerms, before: CatalogModel | undefined) {
  const known = await readKnownNames(tx);
  if (before === undefined) return { value: undefined, note: await declareModel(tx, id, terms, known) };
  const declared = readTerms(id, terms, known);
  await upsertModel(tx, declared);
  const after = encodeModel({ ...declared, created: declared.created ?? before.created });
  return {
    value: undefined,
    note: { action: "model.update", subject: id, before: encodeModel(before), after },
  };
}

/** Adds a model that the catalog doesn't have; for the audit log. */
export async function declareModel(
  tx: Queryable,
  id: string,
  terms: ModelTerms,
  known: KnownNames,
): Promise<AuditNote> {
  const declared = readTerms(id, terms, known);
  await upsertModel(tx, declared);
  return { action: "model.create", subject: id, after: encodeModel(declared) };
}

/** Reads a form as the file's model, in whose list of prices the first is the current one. */
function readTerms(id: string, { coming_prices = [], ...terms }: ModelTerms, known: KnownNames) {
  const { price, ...others } = withoutNulls(terms);
  // An alias is read with none, which no model can have.
  if (others["alias_of"] !== undefined && terms.endpoints?.length === 0) delete others["endpoints"];
  if (terms.fallbacks?.length === 0) delete others["fallbacks"];
  const rows = [...(price === undefined ? [] : [price]), ...coming_prices];
  const written = coming_prices.length === 0 ? price : rows;
  try {
    return pricedAt(readModel({ ...others, price: written, id }, known), systemClock.nowMs());
  } catch (error) {
    if (!(error instanceof ItemError)) throw error;
    throw error.under((path) =>
      path.replace(/^price\[(\d+)\]/, (_, index: string) => {
        const coming = Number(index) - (rows.length - coming_prices.length);
        return coming < 0 ? "price" : `coming_prices[${coming}]`;
      }),
    );
  }
}

async function findModel(db: Queryable, id: string): Promise<CatalogModel | undefined> {
  return (await readModels(db)).find((each) => each.id === id);
}

async function modelOf(db: Queryable, id: string): Promise<CatalogModel> {
  const found = await findModel(db, id);
  if (found === undefined) throw new GatewayError("not_found", "Model not found.");
  return found;
}

function responsesOf(deps: ConsoleDeps) {
  return responsesFor(deps, [...deps.catalog.current().models.values()]);
}

async function responseFor(deps: ConsoleDeps, known: CatalogModel) {
  const [response] = await responsesFor(deps, [known]);
  assert(response, "one model has one answer");
  return response;
}

async function responsesFor({ database, seals, catalog }: ConsoleDeps, known: readonly CatalogModel[]) {
  const current = catalog.current();
  const upstreams = await readUpstreams(database, seals);
  const times = await readPriceTimes(
    database,
    known.flatMap(({ price }) => price?.id ?? []),
  );
  return known.map((each) =>
    modelResponse(each, {
      upstreams,
      catalog: current,
      priceSince: each.price === null ? undefined : times.get(each.price.id),
    }),
  );
}

/** The model as everybody is shown it now. */
export async function responseOf(deps: ConsoleDeps, id: string) {
  const found = (await responsesOf(deps)).find((each) => each.id === id);
  if (found === undefined) throw new GatewayError("not_found", "Model not found.");
  return found;
}
