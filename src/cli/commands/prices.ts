import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { openSeals } from "../../accounts/master-key.ts";
import { systemClock } from "../../base/clock.ts";
import { counted } from "../../base/text.ts";
import type { Model } from "../../catalog/catalog.ts";
import { momentText } from "../../catalog/coming-prices.ts";
import { readModels } from "../../catalog/models-store.ts";
import { readUpstreams } from "../../catalog/upstreams-store.ts";
import type { Config } from "../../config.ts";
import { setFields } from "../../manifest/diff/changed-fields.ts";
import { encodePrice } from "../../manifest/file/encode-file.ts";
import type { FileRecord } from "../../manifest/file/file-value.ts";
import { readFileText } from "../../manifest/file/read.ts";
import { lockManifest } from "../../manifest/manifest-store.ts";
import { acceptPrice } from "../../price-lists/accept.ts";
import { type Comparison, type Comparisons, comparePrices } from "../../price-lists/compare.ts";
import type { PriceList } from "../../price-lists/list-entry.ts";
import { ListFormatError, readLitellmList } from "../../price-lists/litellm-list.ts";
import { publicList } from "../../price-lists/public-list.ts";
import { readUnpriced, type Unpriced, unpricedJson } from "../../price-lists/unpriced.ts";
import type { Queryable } from "../../storage/database.ts";
import { listedToolsOf } from "../../upstreams/kinds.ts";
import { listedVendorOf } from "../../upstreams/vendor-presets.ts";
import { insertAudit } from "../../users/audit-store.ts";
import { commandOrigin } from "../audit.ts";
import { asTyped, type Command, CommandFailure, readModelIds, UsageError } from "../command.ts";
import { withDatabase } from "../open.ts";
import { columns } from "../text-table.ts";

/** Compares the catalog's prices with public lists, and writes those that are accepted. */
export const pricesCommand: Command = {
  name: "prices",
  summary: "compare model prices with public price lists; exit code 1 = differences, 3 = could not run",
  positionals: [],
  options: {
    file: {
      type: "string",
      value: "FILE",
      help: "price list to compare with, in the format of LiteLLM's model_prices_and_context_window.json (default: the bundled list)",
    },
    models: {
      type: "string",
      value: "a,b",
      help: "models to compare, separated by commas (default: all text models)",
    },
    vendor: {
      type: "string",
      value: "NAME",
      help: "vendor whose prices to use for models of several vendors: openai, azure, aws ...",
    },
    unpriced: {
      type: "boolean",
      help: "list usage that models have no price for, instead of comparing prices",
    },
    apply: { type: "boolean", help: "set the listed prices (default: only compare)" },
    json: { type: "boolean", help: "print the result as JSON" },
  },
  failureCode: 3,
  examples: [
    "faregate prices",
    "faregate prices --file model_prices_and_context_window.json --models gpt-5.4 --apply",
    "faregate prices --json | jq .differences",
    "faregate prices --unpriced",
  ],
  async run({ config, text, flag }) {
    const wanted = readModelIds(text("models"));
    if (flag("unpriced")) {
      if (text("file") !== undefined || text("vendor") !== undefined || flag("apply"))
        throw new UsageError("--unpriced takes only --models and --json");
      return listUnpriced(config, wanted, flag("json"));
    }
    const bundled = await publicList(systemClock.nowMs());
    const list = await listOf(text("file"), bundled);
    return withDatabase(config, "prices", async ({ database }) => {
      const seals = await openSeals({ dataDir: config.dataDir, configured: config.masterKey, database });
      const found = async (db: Queryable) => {
        const models = await readModels(db);
        const upstreams = await readUpstreams(db, seals);
        const chosen = chosenOf(models, wanted);
        const all = comparePrices({
          models: chosen,
          upstreams,
          lists: [list],
          vendorAt: bundled.vendorAt,
          listedAs: listedVendorOf,
          toolsOf: listedToolsOf,
        });
        return { models, coming: upcomingPrices(chosen), ...onlyVendor(all, text("vendor")) };
      };
      const result = flag("apply")
        ? await database.transaction(async (tx) => {
            await lockManifest(tx);
            const { models, ...compared } = await found(tx);
            const applied: string[] = [];
            for (const comparison of acceptable(compared.comparisons)) {
              const model = models.find(({ id }) => id === comparison.model);
              if (model === undefined) continue;
              await insertAudit(tx, { ...(await acceptPrice(tx, model, comparison)), ...commandOrigin() });
              applied.push(model.id);
            }
            return { ...compared, applied };
          })
        : { ...(await found(database)), applied: [] };
      console.log(
        flag("json")
          ? JSON.stringify(asJson(list, result), null, 2)
          : asText(list, result, applyCommand(text)),
      );
      const isDone = ({ model, differences }: Comparison): boolean =>
        differences.length === 0 || result.applied.includes(model);
      return result.comparisons.every(isDone) ? 0 : 1;
    });
  },
};

/** Throws CommandFailure where one of them does not exist. */
/** An alias chooses the model that it stands for. */
function chosenOf(models: readonly Model[], wanted: readonly string[] | undefined): readonly Model[] {
  if (wanted === undefined) return models;
  const ids = new Map(models.map(({ id, aliasOf }) => [id, aliasOf ?? id]));
  const unknown = wanted.find((id) => !ids.has(id));
  if (unknown !== undefined) throw new CommandFailure(`there is no model "${unknown}"`);
  const chosen = new Set(wanted.map((id) => ids.get(id)));
  return models.filter(({ id }) => chosen.has(id));
}

function listUnpriced(config: Config, wanted: readonly string[] | undefined, json: boolean): Promise<number> {
  return withDatabase(config, "prices", async ({ database }) => {
    const seals = await openSeals({ dataDir: config.dataDir, configured: config.masterKey, database });
    const upstreams = await readUpstreams(database, seals);
    const { models, unpriced } = await readUnpriced(database, {
      upstreams,
      toolsOf: listedToolsOf,
      listedAs: listedVendorOf,
    });
    const chosen = chosenOf(models, wanted);
    const found = unpriced.filter(({ model }) => chosen.some(({ id }) => id === model));
    console.log(json ? JSON.stringify({ unpriced: found.map(unpricedJson) }, null, 2) : unpricedText(found));
    return found.length === 0 ? 0 : 1;
  });
}

function unpricedText(found: readonly Unpriced[]): string {
  if (found.length === 0) return "No unpriced usage.";
  const rows = found.map((each) => {
    const { requests, first_at, last_at, request_id, prices } = unpricedJson(each);
    const missing = prices.map(({ price, listed }) =>
      listed === null ? price : `${price} (listed ${listed})`,
    );
    const where = [each.model, each.upstream, each.what, missing.join(", ")];
    return [...where, String(requests), first_at, last_at, request_id];
  });
  const titles = [
    "MODEL",
    "UPSTREAM",
    "WITHOUT PRICE",
    "PRICE TO SET",
    "REQUESTS",
    "FIRST",
    "LAST",
    "LATEST REQUEST",
  ];
  return columns([titles, ...rows]).join("\n");
}

interface Result extends Comparisons {
  readonly applied: readonly string[];
  readonly coming: readonly ComingPrice[];
}

/** A price of ours that takes the place of the one that is compared. */
interface ComingPrice {
  readonly model: string;
  readonly from: string;
  /** The price in the catalog file's form. */
  readonly price: FileRecord;
}

function upcomingPrices(models: readonly Model[]): ComingPrice[] {
  return models.flatMap(({ id, family, coming = [] }) =>
    (family === null ? coming : []).map(({ fromMs = 0, ...price }) => ({
      model: id,
      from: momentText(fromMs),
      price: encodePrice(price),
    })),
  );
}

async function listOf(file: string | undefined, bundled: PriceList): Promise<PriceList> {
  if (file === undefined) return bundled;
  const text = await readFileText(file);
  const name = file === "-" ? "standard input" : basename(file);
  const changed = file === "-" ? new Date(systemClock.nowMs()) : (await stat(file)).mtime;
  try {
    return readLitellmList(text, { name, date: changed.toISOString().slice(0, 10) });
  } catch (error) {
    if (error instanceof ListFormatError) throw new CommandFailure(`${file} ${error.message}`);
    throw error;
  }
}

/** Throws CommandFailure where no entry is of the vendor, as of one that is misspelt: a check would find no difference. */
function onlyVendor({ comparisons, unlisted }: Comparisons, vendor: string | undefined): Comparisons {
  if (vendor === undefined) return { comparisons, unlisted };
  const chosen = comparisons.filter(({ entry }) => entry.vendor === vendor);
  if (chosen.length > 0 || comparisons.length === 0) return { comparisons: chosen, unlisted };
  const vendors = [...new Set(comparisons.map(({ entry }) => entry.vendor))].sort().join(", ");
  throw new CommandFailure(
    `none of the models has a price of the vendor "${vendor}"; they have those of: ${vendors}`,
  );
}

/** The command that sets the shown prices, and no others. */
function applyCommand(text: (option: string) => string | undefined): string {
  const options = ["file", "models", "vendor"].flatMap((name) => {
    const value = text(name);
    return value === undefined
      ? []
      : [`--${name} ${/^[\w./,:@-]+$/.test(value) ? value : JSON.stringify(value)}`];
  });
  return ["faregate prices", ...options, "--apply"].join(" ");
}

/** Those that change something and can be accepted. Of several entries of a model none is, unless all say the same. */
function acceptable(comparisons: readonly Comparison[]): Comparison[] {
  const seen = new Set<string>();
  return comparisons.filter((comparison) => {
    if (comparison.differences.length === 0 || comparison.accepted === null) return false;
    if (disagreeing(comparison, comparisons).length > 0 || seen.has(comparison.model)) return false;
    seen.add(comparison.model);
    return true;
  });
}

/** Other entries of the same model that would change it otherwise. */
function disagreeing(one: Comparison, comparisons: readonly Comparison[]): Comparison[] {
  const changes = JSON.stringify(one.differences);
  return comparisons.filter(
    ({ model, differences }) => model === one.model && JSON.stringify(differences) !== changes,
  );
}

function asJson(list: PriceList, { comparisons, unlisted, applied, coming }: Result) {
  const source = ({ model, upstreams, entry }: Comparison) => ({
    model,
    upstreams,
    vendor: entry.vendor,
    listed_as: entry.model,
    source: list.name,
    date: list.date,
    url: entry.url ?? null,
  });
  return {
    list: { name: list.name, date: list.date },
    differences: comparisons.flatMap((each) => each.differences.map((one) => ({ ...source(each), ...one }))),
    not_applicable: comparisons.flatMap((each) => {
      const problem = problemOf(each, comparisons);
      return problem === undefined ? [] : [{ ...source(each), reason: problem }];
    }),
    left_out: comparisons.flatMap((each) => each.leftOut.map((what) => ({ ...source(each), what }))),
    unlisted,
    coming: coming.map(({ price, ...each }) => ({ ...each, price: setFields(price) })),
    applied,
  };
}

function problemOf(one: Comparison, comparisons: readonly Comparison[]): string | undefined {
  if (one.problem !== undefined) return one.problem;
  const [other] = disagreeing(one, comparisons);
  return other && `${one.entry.vendor} and ${other.entry.vendor} list different prices; choose with --vendor`;
}

function asText(list: PriceList, { comparisons, unlisted, applied, coming }: Result, apply: string): string {
  const dated = `${list.name} (${list.date})`;
  const rows = comparisons.flatMap((each) =>
    each.differences.map(({ price, ours, theirs }) => [
      each.model,
      price,
      ours ?? "(unset)",
      theirs ?? "(unset)",
      `${each.entry.vendor} ${each.entry.model}, ${dated}`,
    ]),
  );
  const notes = comparisons.flatMap((each) => {
    const problem = problemOf(each, comparisons);
    const about = `${each.model} (${each.entry.vendor} ${each.entry.model})`;
    return [
      ...(problem === undefined ? [] : [`! ${about}: can't be applied: ${problem}`]),
      ...each.leftOut.map((what) => `! ${about}: not compared: ${what}`),
    ];
  });
  const models = new Set(comparisons.map(({ model }) => model));
  const changed = new Set(rows.map(([model]) => model));
  const summary =
    rows.length === 0
      ? `No differences: ${counted(models.size, "model")} compared with ${dated}.`
      : `${counted(rows.length, "difference")} in ${counted(changed.size, "model")}; ${counted(models.size, "model")} compared with ${dated}.`;
  const lines = [
    ...(rows.length === 0 ? [] : columns([["MODEL", "PRICE", "OURS", "LISTED", "SOURCE"], ...rows])),
    ...notes,
    ...coming.map(
      ({ model, from, price }) =>
        `! ${model}: not compared: the price from ${from}: ${setFields(price).join(", ")}`,
    ),
    ...(unlisted.length === 0 ? [] : [`Not listed: ${unlisted.join(", ")}.`]),
    summary,
  ];
  if (applied.length > 0) lines.push(`Applied: ${applied.join(", ")}.`);
  else if (rows.length > 0) lines.push(asTyped(`Nothing was changed. To set the listed prices: ${apply}`));
  return lines.join("\n");
}
