import { openSeals } from "../../accounts/master-key.ts";
import { systemClock } from "../../base/clock.ts";
import { formatUsd } from "../../base/money.ts";
import { closestMatch, counted } from "../../base/text.ts";
import type { Upstream } from "../../catalog/catalog.ts";
import { createCatalogCache } from "../../catalog/catalog-cache.ts";
import type { Config } from "../../config.ts";
import { describeOffered, type OfferedModel, offeredAsYaml } from "../../price-lists/offered-models.ts";
import { type PublicList, publicList } from "../../price-lists/public-list.ts";
import { kindOf } from "../../upstreams/kinds.ts";
import { listVendorModels, ModelListError, type VendorModel } from "../../upstreams/vendor-models.ts";
import { listedVendorOf } from "../../upstreams/vendor-presets.ts";
import { type Command, CommandFailure, UsageError } from "../command.ts";
import { withDatabase } from "../open.ts";
import { columns } from "../text-table.ts";

/** Prints the models that an upstream's vendor offers, with what the public list knows of them. */
export const modelsCommand: Command = {
  name: "models",
  summary: "list the models that an upstream's vendor offers, with their listed limits and prices",
  positionals: ["UPSTREAM"],
  options: {
    models: {
      type: "string",
      value: "a,b",
      help: "models to list by the vendor's names, separated by commas (default: all)",
    },
    yaml: { type: "boolean", help: "print the models of --models as rows of a catalog file" },
    json: { type: "boolean", help: "print the result as JSON" },
  },
  examples: [
    "faregate models openai-main",
    "faregate models openai-main --models gpt-5,gpt-5-mini --yaml",
    "faregate models openai-main --json | jq '.models[].id'",
  ],
  async run({ config, positionals, text, flag }) {
    const wanted = text("models")?.split(",");
    if (flag("yaml") && (wanted === undefined || flag("json")))
      throw new UsageError("--yaml takes --models with the models to add, and no --json");
    const name = positionals[0] ?? "";
    const upstream = await withDatabase(config, "models", async ({ database }) => {
      const seals = await openSeals({ dataDir: config.dataDir, configured: config.masterKey, database });
      const catalog = await createCatalogCache({ database, seals, kindOf });
      await catalog.close();
      const { upstreams, allUpstreams } = catalog.current();
      // One that is in service leaves out disabled credentials.
      return named(name, upstreams.length === 0 ? allUpstreams : [...upstreams, ...allUpstreams]);
    });
    const list = await publicList(systemClock.nowMs());
    const offered = (await read(upstream, config)).map((model) =>
      describeOffered(model, upstream, list, listedVendorOf),
    );
    const chosen = choose(offered, wanted, name);
    if (flag("yaml")) console.log(offeredAsYaml(chosen, name, list).trimEnd());
    else if (flag("json")) console.log(JSON.stringify(asJson(chosen, name, list), null, 2));
    else console.log(asText(chosen, name, list));
    return 0;
  },
};

function named(name: string, upstreams: readonly Upstream[]): Upstream {
  const found = upstreams.find((each) => each.name === name);
  if (found !== undefined) return found;
  const names = [...new Set(upstreams.map((each) => each.name))];
  const near = closestMatch(name, names);
  const hint = near === undefined ? `there are: ${names.join(", ") || "none"}` : `did you mean "${near}"?`;
  throw new CommandFailure(`there is no upstream "${name}"; ${hint}`);
}

async function read(upstream: Upstream, { environment }: Config): Promise<VendorModel[]> {
  const [credential] = upstream.credentials;
  if (credential === undefined)
    throw new CommandFailure(`${upstream.name} has no credential; set its api_key`);
  try {
    return await listVendorModels(upstream, credential, { clock: systemClock, environment });
  } catch (error) {
    if (error instanceof ModelListError) throw new CommandFailure(error.message);
    throw error;
  }
}

/** Throws CommandFailure where the vendor does not offer one of them. */
function choose(
  offered: readonly OfferedModel[],
  wanted: readonly string[] | undefined,
  name: string,
): readonly OfferedModel[] {
  if (wanted === undefined) return offered;
  return wanted.map((id) => {
    const found = offered.find((each) => each.id === id);
    if (found !== undefined) return found;
    const near = closestMatch(
      id,
      offered.map((each) => each.id),
    );
    const hint = near === undefined ? "" : `; did you mean "${near}"?`;
    throw new CommandFailure(`${name} offers no model "${id}"${hint}`);
  });
}

function asText(models: readonly OfferedModel[], name: string, list: PublicList): string {
  const titles = ["MODEL", "CONTEXT", "MAX OUTPUT", "INPUT", "OUTPUT", "MEDIA", "IN CATALOG AS"];
  const rows = models.map((model) => [
    model.id,
    String(model.contextTokens ?? "-"),
    String(model.maxOutputTokens ?? "-"),
    usd(model.input) ?? "-",
    usd(model.output) ?? "-",
    model.inputMedia?.join(", ") || "-",
    model.ours.join(", ") || "-",
  ]);
  return [
    ...(rows.length === 0 ? [] : columns([titles, ...rows])),
    `${counted(models.length, "model")} at ${name}; USD per 1,000,000 tokens from ${list.name} (${list.date}).`,
  ].join("\n");
}

function usd(nanos: bigint | undefined): string | undefined {
  return nanos === undefined ? undefined : formatUsd(nanos);
}

function asJson(models: readonly OfferedModel[], upstream: string, list: PublicList) {
  return {
    upstream,
    list: { name: list.name, date: list.date },
    models: models.map((model) => ({
      id: model.id,
      context_tokens: model.contextTokens ?? null,
      max_output_tokens: model.maxOutputTokens ?? null,
      input_media: model.inputMedia ?? null,
      input_price: usd(model.input) ?? null,
      output_price: usd(model.output) ?? null,
      unpriced_reason: model.unpricedReason ?? null,
      listed_as: model.entry?.model ?? null,
      url: model.entry?.url ?? null,
      catalog: model.ours,
    })),
  };
}
