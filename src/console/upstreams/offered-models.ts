import { systemClock } from "../../base/clock.ts";
import { readModels } from "../../catalog/models-store.ts";
import { type UpstreamRecord, upsertUpstream } from "../../catalog/upstreams-store.ts";
import { GatewayError } from "../../errors.ts";
import { ItemError } from "../../manifest/file/read-item.ts";
import { describeOffered, type OfferedModel } from "../../price-lists/offered-models.ts";
import { publicList } from "../../price-lists/public-list.ts";
import type { Queryable } from "../../storage/database.ts";
import { kindOf } from "../../upstreams/kinds.ts";
import { listVendorModels, ModelListError } from "../../upstreams/vendor-models.ts";
import { listedVendorOf } from "../../upstreams/vendor-presets.ts";
import { changeCatalog, readKnownNames } from "../catalog/change.ts";
import { priceResponse } from "../catalog/model-response.ts";
import { declareModel } from "../catalog/models.ts";
import type { ConsoleDeps } from "../deps.ts";
import { json, type Operation } from "../operation.ts";
import { type AddedModels, addedModels, type OfferedModels, offeredModels, upstream } from "./contract.ts";
import { responseOf, upstreamOf } from "./find.ts";
import { judgeStored } from "./judge-stored.ts";

const described = { policy: "operator", tag: "upstreams" } as const;
const OFFERED = "/operator/upstreams/{upstream}/offered-models";

/** The models that an upstream's vendor offers, to be added to the catalog by ticking. */
export function offeredModelOperations(deps: ConsoleDeps): readonly Operation[] {
  return [list(deps), add(deps)];
}

function list(deps: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "GET",
    path: OFFERED,
    summary: "Models that the upstream's vendor offers, with their listed limits and prices",
    response: offeredModels,
    async run({ params }) {
      const record = await upstreamOf(deps, deps.database, params["upstream"]);
      const models = await readOffered(deps, record);
      const bundled = await publicList(systemClock.nowMs());
      const known = new Set((await readModels(deps.database)).map(({ id }) => id));
      return {
        list: { name: bundled.name, date: bundled.date },
        data: models.map((each) =>
          offeredResponse(describeOffered(each, record, bundled, listedVendorOf), known.has(each.id)),
        ),
        next: null,
      };
    },
  });
}

/** Asks the vendor with the first credential; a disabled upstream is asked too, as one looks before switching it on. */
async function readOffered(deps: ConsoleDeps, record: UpstreamRecord) {
  const { catalog, clock, environment } = deps;
  if (kindOf(record.kind, record.preset)?.modelsPath === null)
    throw new GatewayError(
      "invalid_request",
      `Upstreams of kind ${record.kind} have no list of models to read. Enter their models under Settings.`,
    );
  await catalog.refresh();
  const first = record.credentials.find(({ enabled }) => enabled) ?? record.credentials[0];
  const placed = catalog.current().placed(record.id, first?.id ?? -record.id);
  if (placed === undefined)
    throw new GatewayError(
      "conflict",
      "The upstream has no credential. Add one, then load its models again.",
    );
  try {
    return await listVendorModels(placed.upstream, placed.credential, { clock, environment });
  } catch (error) {
    if (error instanceof ModelListError) throw new GatewayError("upstream_error", error.message);
    throw error;
  }
}

function offeredResponse(model: OfferedModel, isKnown: boolean): OfferedModels["data"][number] {
  const { id, contextTokens, maxOutputTokens, inputMedia, listed, unpricedReason, entry, ours } = model;
  return {
    id,
    context_tokens: contextTokens ?? null,
    max_output_tokens: maxOutputTokens ?? null,
    input_media: inputMedia === undefined ? null : [...inputMedia],
    price: listed === undefined ? null : priceResponse(listed),
    unpriced_reason: unpricedReason ?? null,
    listed_as: entry?.model ?? null,
    url: entry?.url ?? null,
    serves: [...ours],
    in_catalog: isKnown,
  };
}

function add(deps: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "POST",
    path: OFFERED,
    makes: true,
    summary: "Add models to the catalog and map them to this upstream, all or none",
    body: addedModels,
    response: upstream,
    async run(call) {
      const { upstream: id } = call.params;
      await changeCatalog(deps, call, async (tx) => {
        const before = await upstreamOf(deps, tx, id);
        refuseRemapped(before, call.body.models);
        for (const note of await declareAll(tx, call.body.models)) await call.audit(tx, note);
        const added = call.body.models.map((model) => [model.id, model.id] as const);
        const after = { ...before, models: new Map([...before.models, ...added]) };
        await judgeStored(tx, after);
        await upsertUpstream(tx, deps.seals, after);
        const [was, is] = [before, after].map(({ models }) => ({ models: Object.fromEntries(models) }));
        const note = { action: "upstream.update", subject: before.name, before: was, after: is };
        return { value: undefined, note };
      });
      return responseOf(deps, id);
    },
  });
}

/** A mapping is never replaced unseen. */
function refuseRemapped({ name, models }: UpstreamRecord, added: AddedModels["models"]): void {
  for (const [index, { id }] of added.entries())
    if (models.has(id))
      throw new ItemError(
        `models[${index}].id`,
        `${name} already serves ${id}, with its model ${models.get(id)}`,
      );
}

/** Adds those that the catalog doesn't have, each with an audit entry of its own. */
async function declareAll(tx: Queryable, models: AddedModels["models"]) {
  const known = await readKnownNames(tx);
  const notes = [];
  for (const [index, { id, input_media: media, ...terms }] of models.entries()) {
    const first = models.findIndex((each) => each.id === id);
    if (first !== index) throw new ItemError(`models[${index}].id`, `repeats models[${first}]`);
    if (known.aliases?.has(id))
      throw new ItemError(`models[${index}].id`, `${id} is an alias; map its model under Settings`);
    if (known.models.has(id)) continue;
    const quirks = media === null || media.length === 0 ? {} : { input_media: media };
    notes.push(
      await declareUnder(`models[${index}]`, () => declareModel(tx, id, { ...terms, quirks }, known)),
    );
  }
  return notes;
}

/** Faults of a model are named by its place in the request. */
async function declareUnder<Value>(place: string, declare: () => Promise<Value>): Promise<Value> {
  try {
    return await declare();
  } catch (error) {
    if (error instanceof ItemError) throw error.under((path) => (path === "" ? place : `${place}.${path}`));
    throw error;
  }
}
