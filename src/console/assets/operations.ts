import { findAssets, type ListedAsset, listAssets } from "../../assets/assets-store.ts";
import { placeOf } from "../../assets/places.ts";
import { GatewayError } from "../../errors.ts";
import type { ConsoleDeps } from "../deps.ts";
import { decodeCursor, encodeCursor } from "../input.ts";
import { linkedFiles } from "../linked-file.ts";
import { file, json, type Operation } from "../operation.ts";
import { type Asset, assetDetail, assetsPage, assetsQuery, createdAsset, newAsset } from "./contract.ts";

const ASSETS = { tag: "Assets" } as const;

/** Public media that an account has registered: by the same code as the API's own paths. */
export function assetsOperations(deps: ConsoleDeps): readonly Operation[] {
  const { database, catalog, assets } = deps;
  const openLinked = linkedFiles(deps);

  const encode = (stored: ListedAsset): Asset => ({
    id: stored.id,
    type: stored.type,
    name: stored.name,
    status: stored.status,
    usable: stored.status === "Active" && placeOf(catalog.current(), stored) !== undefined,
    created_at: stored.createdAt.toISOString(),
    view: `/api/accounts/${stored.accountId}/assets/${stored.id}/file`,
  });

  const find = async (accountId: bigint, id: string): Promise<ListedAsset> => {
    const found = isId(id) ? (await findAssets(database, accountId, [id])).get(id) : undefined;
    if (found === undefined) throw new GatewayError("not_found", "Asset not found.");
    return found;
  };

  return [
    json({
      ...ASSETS,
      policy: "viewer",
      method: "GET",
      path: "/accounts/{account}/assets",
      summary: "Registered media, newest first",
      query: assetsQuery,
      response: assetsPage,
      async run({ account, query: { limit, after } }) {
        const page = { limit: limit + 1, below: decodeCursor(after) };
        const found = await listAssets(database, account().id, page);
        const rows = found.slice(0, limit);
        const last = found.length > limit ? rows.at(-1) : undefined;
        return {
          data: rows.map(encode),
          next: last === undefined ? null : encodeCursor({ micros: last.createdMicros, id: last.id }),
        };
      },
    }),
    json({
      ...ASSETS,
      policy: "member",
      method: "POST",
      makes: true,
      path: "/accounts/{account}/assets",
      summary: "Register public media for use in videos",
      body: newAsset,
      response: createdAsset,
      async run({ account, body, requestId, audit }) {
        const { id: accountId, group } = account();
        const { Id: id, Status: status = "Pending" } = await assets.create(
          { accountId, group },
          requestId,
          body,
        );
        // It exists from here on, at the upstream too: the trace follows, as no transaction could hold both.
        const { asset_type, name } = body;
        await audit(database, {
          action: "asset.create",
          subject: id,
          accountId,
          after: { asset_type, name },
        });
        return { id, status };
      },
    }),
    json({
      ...ASSETS,
      policy: "viewer",
      method: "GET",
      path: "/accounts/{account}/assets/{asset}",
      summary: "One asset, as its upstream reports it now",
      response: assetDetail,
      async run({ account, params, requestId }) {
        const { id: accountId, group } = account();
        const stored = await find(accountId, params["asset"] ?? "");
        const { Status, URL } = await assets.read({ accountId, group }, requestId, stored.id);
        return { ...encode({ ...stored, status: Status }), url: URL };
      },
    }),
    file({
      ...ASSETS,
      policy: "viewer",
      path: "/accounts/{account}/assets/{asset}/file",
      summary: "An asset's file",
      async run({ account, params, requestId, gone }, range) {
        const { id: accountId, group } = account();
        const stored = await find(accountId, params["asset"] ?? "");
        const { URL } = await assets.read({ accountId, group }, requestId, stored.id);
        // The address may be the one that a caller registered: it opens no way into the upstream's own network.
        return openLinked({ url: URL, upstream: undefined, range, saveAs: undefined, gone });
      },
    }),
  ];
}

/** True if a text can be an id at all; the database does not even take every text. */
function isId(text: string): boolean {
  return /^[\w-]{1,100}$/.test(text);
}
