import type { Clock } from "../base/clock.ts";
import { readAllowList } from "../base/fetch/safe-fetch-allow.ts";
import { randomId } from "../base/random.ts";
import { GatewayError } from "../errors.ts";
import type { Log } from "../observe/log.ts";
import type { HealthTarget } from "../routing/health/health.ts";
import type { AttemptOutcome } from "../routing/health/outcome.ts";
import type { PlaceHealth } from "../routing/routing.ts";
import type { Queryable } from "../storage/database.ts";
import type { AssetOutcome, AssetSite, NewAsset } from "../upstreams/asset-apis/asset-api.ts";
import { type KnownUpstreams, scrubberOf } from "../upstreams/scrub/scrubber.ts";
import type { AssetOwner, AssetRecord, Assets, CreatedAsset } from "./assets.ts";
import { findAssets, insertAsset, newestAsset, type StoredAsset, setAssetStatus } from "./assets-store.ts";
import { type AssetCatalog, type AssetPlace, isSame, placeOf, placesFor, servesModel } from "./places.ts";
import { readAssetRequest } from "./read-request.ts";
import { resolveOrder } from "./resolve-order.ts";

export interface AssetsOptions {
  readonly database: Queryable;
  readonly catalog: {
    current(): AssetCatalog &
      KnownUpstreams & { readonly settings: { readonly egressAllow: readonly string[] } };
  };
  readonly ask: AssetSite["ask"];
  readonly health: PlaceHealth;
  readonly clock: Clock;
  readonly log: Log;
}

/** Builds the registry of assets. */
export function createAssets(options: AssetsOptions): Assets {
  const { database, catalog, ask, health, clock, log } = options;
  const siteOf = ({ upstream, credential }: AssetPlace, requestId: string): AssetSite => ({
    upstream,
    credential,
    requestId,
    ask,
    nowMs: () => clock.nowMs(),
  });

  return {
    async create(owner, requestId, body) {
      const allowed = readAllowList(catalog.current().settings.egressAllow);
      return register(owner, requestId, readAssetRequest(body, allowed));
    },

    async read(owner, requestId, id) {
      const asset = isAssetId(id) ? (await findAssets(database, owner.accountId, [id])).get(id) : undefined;
      if (asset === undefined) throw failedRead("The asset does not exist.");
      const found = await readAsset(asset, requestId);
      if (found.type === "done") return found.value;
      throw failedRead(found.reason);
    },

    async resolve(use, order) {
      return resolveOrder(order, {
        find: (ids) => findAssets(database, use.accountId, ids.filter(isAssetId)),
        placeOf: (asset) => placeOf(catalog.current(), asset),
        makes: (place) => servesModel(place, use),
        readAsset: (asset) => readAsset(asset, use.requestId),
      });
    },
  };

  async function register(owner: AssetOwner, requestId: string, wanted: NewAsset): Promise<CreatedAsset> {
    const places = await placesOf(owner);
    if (places.length === 0) throw failedCreation("No upstream available to this account stores assets.");
    for (const place of places) {
      health.claim(healthSiteOf(place), owner.accountId);
      const outcome = scrubbed(await place.api.create(siteOf(place, requestId), wanted));
      health.report(healthSiteOf(place), HEALTH_OF[outcome.type], {
        account: owner.accountId,
        model: ASSETS,
      });
      if (outcome.type === "refused") throw failedCreation(outcome.reason);
      if (outcome.type === "unavailable") {
        log.warn(
          { upstream: place.upstream.name, reason: outcome.reason, requestId },
          "asset creation failed at an upstream; trying the next upstream",
        );
        continue;
      }
      const id = `asset-${randomId()}`;
      const { id: upstreamAsset, status } = outcome.value;
      await insertAsset(database, {
        id,
        accountId: owner.accountId,
        upstreamId: place.upstream.id,
        upstreamAsset,
        credentialId: place.credential.id,
        type: wanted.type,
        status: status ?? "Pending",
        // PostgreSQL keeps no NUL in a text; the upstream got it as it came.
        name: wanted.name.replaceAll("\0", ""),
      });
      return { Id: id, Status: status };
    }
    throw failedCreation("The asset service is temporarily unavailable. Try again shortly.");
  }

  /** First where the account's assets are already. */
  async function placesOf(owner: AssetOwner): Promise<readonly AssetPlace[]> {
    // Places of equal health keep their order, so that an account's assets stay together.
    const rank = (place: AssetPlace): number => health.rank(healthSiteOf(place), owner.accountId);
    const places = [...placesFor(catalog.current(), owner)].sort((a, b) => rank(a) - rank(b));
    if (places.length < 2) return places;
    const newest = await newestAsset(database, owner.accountId);
    const keeper = newest && placeOf(catalog.current(), newest);
    const home = places.find((each) => keeper && isSame(each, keeper));
    return home === undefined ? places : [home, ...places.filter((each) => each !== home)];
  }

  async function readAsset(asset: StoredAsset, requestId: string): Promise<AssetOutcome<AssetRecord>> {
    const place = placeOf(catalog.current(), asset);
    if (place === undefined) return { type: "unavailable", reason: "The asset's upstream is unavailable." };
    const outcome = scrubbed(await place.api.read(siteOf(place, requestId), asset.upstreamAsset));
    if (outcome.type === "unavailable") {
      log.warn(
        { upstream: place.upstream.name, reason: outcome.reason, requestId },
        "asset lookup failed at an upstream; the request that needs the asset fails",
      );
      return {
        type: "unavailable",
        reason: "The asset service is temporarily unavailable. Try again shortly.",
      };
    }
    if (outcome.type === "refused") return outcome;
    if (outcome.value.Status !== asset.status) await setAssetStatus(database, asset.id, outcome.value.Status);
    return { type: "done", value: { ...outcome.value, Id: asset.id } };
  }

  /** Removes secrets from the vendor's words. */
  function scrubbed<T>(outcome: AssetOutcome<T>): AssetOutcome<T> {
    if (outcome.type === "done") return outcome;
    return { ...outcome, reason: scrubberOf(catalog.current()).text(outcome.reason) };
  }
}

/** The keeping of assets has a health of its own at each place, as if it was one more model. */
const ASSETS = "(assets)";

function healthSiteOf({ upstream, credential }: AssetPlace): HealthTarget {
  return { upstream, credential, model: ASSETS };
}

const HEALTH_OF: Readonly<Record<AssetOutcome<unknown>["type"], AttemptOutcome>> = {
  done: { kind: "ok" },
  refused: { kind: "client-error" },
  unavailable: { kind: "failed" },
};

/** True if a text can be an id at all; the database does not even take every text. */
function isAssetId(text: string): boolean {
  return /^[\w-]{1,100}$/.test(text);
}

function failedCreation(reason: string): GatewayError {
  return new GatewayError("asset_create_failed", reason);
}

function failedRead(reason: string): GatewayError {
  return new GatewayError("asset_get_failed", reason);
}
