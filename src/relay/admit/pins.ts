import type { Catalog, Model, Upstream } from "../../catalog/catalog.ts";
import { GatewayError } from "../../errors.ts";
import type { Pin } from "../../routing/routes.ts";
import type { IssuedIds, Owner } from "../../upstreams/memory/issued-ids.ts";
import type { TextRequest } from "../text-request.ts";
import type { Reference, References } from "./references.ts";

/**
 * Returns the places that can respond to a request which names stored objects of a vendor: only those that issued the ids to
 * this account. Undefined = any place. Rejects with GatewayError if an id isn't the caller's, with the same message whether it
 * is unknown or another account's, or if no place knows all ids. Costs one query, and none without ids.
 */
export async function pinsOf(
  issuedIds: IssuedIds,
  catalog: Catalog,
  model: Model,
  request: Pick<TextRequest, "caller" | "protocol">,
  { ids }: References,
): Promise<readonly Pin[] | undefined> {
  const serving = catalog.serving(model.id, request.caller.group, request.protocol.name);
  const natives = nativeUpstreams(serving, request);
  const isTranslated = natives.length === 0;
  // Translation refuses what only the caller's own protocol can say, or names it as lost; but an address goes along.
  const asked = isTranslated ? ids.filter((each) => continuesResponse(each) || each.isAddress) : ids;
  if (asked.length === 0) return undefined;
  const owners = await issuedIds.find(request.caller.accountId, textsOf(asked));
  const receivers = isTranslated ? serving : natives;
  const refusesUnknown = receivers.some(({ id }) => catalog.refusesForeignIds(id));
  let pins: readonly Pin[] | undefined;
  let pinnedBy: Reference | undefined;
  for (const reference of asked) {
    const places = placesOf(reference, owners, continuesResponse(reference) ? natives : receivers);
    if (places === "unknown" && !refusesUnknown && !continuesResponse(reference)) continue;
    if (typeof places === "string") throw unknownReference(reference);
    const common = pins === undefined ? places : intersect(pins, places);
    if (common.length === 0) throw differentIssuers(pinnedBy, reference);
    pins = common;
    pinnedBy ??= reference;
  }
  return pins;
}

/** Upstreams that get the request as it is: only they can know what ids in it refer to. */
function nativeUpstreams(
  serving: readonly Upstream[],
  { protocol }: Pick<TextRequest, "protocol">,
): readonly Upstream[] {
  return serving.filter(({ protocols }) => protocols.includes(protocol.name));
}

/** A conversation is gone on with where it is kept, whatever an operator allows. */
function continuesResponse({ field }: Reference): boolean {
  return field === "previous_response_id";
}

function textsOf(references: readonly Reference[]): readonly string[] {
  return references.flatMap(({ id }) => (id === undefined ? [] : [id]));
}

/** The places that know an id, "other" where it is another account's. */
function placesOf(
  { id }: Reference,
  owners: ReadonlyMap<string, Owner>,
  natives: readonly Upstream[],
): readonly Pin[] | "unknown" | "other" {
  if (id === undefined) return "unknown";
  const shared = natives.filter(({ sharedIds }) => sharedIds.has(id));
  if (shared.length > 0) return shared.map((upstream) => ({ upstreamId: upstream.id, credentialId: null }));
  const owner = owners.get(id) ?? "unknown";
  if (typeof owner === "string") return owner;
  // An upstream that has left the catalog has taken what it kept with it, and others know nothing of that.
  const isThere = natives.some((upstream) => upstream.id === owner.upstreamId);
  return isThere ? [{ upstreamId: owner.upstreamId, credentialId: owner.credentialId }] : "unknown";
}

/** The places that are among both. */
function intersect(these: readonly Pin[], those: readonly Pin[]): readonly Pin[] {
  return these.flatMap((one) =>
    those.flatMap((other) => {
      if (one.upstreamId !== other.upstreamId) return [];
      if (one.credentialId === null) return [other];
      return other.credentialId === null || other.credentialId === one.credentialId ? [one] : [];
    }),
  );
}

function unknownReference(reference: Reference): GatewayError {
  const { field, id } = reference;
  if (continuesResponse(reference)) {
    return new GatewayError(
      "previous_response_not_found",
      "previous_response_id isn't a stored response of this account and model. Send the history in `input` instead.",
      { param: field },
    );
  }
  const named = id === undefined ? "too many ids to check" : `'${id}'`;
  return new GatewayError(
    "invalid_request",
    `\`${field}\` names ${named}, which this model's upstream hasn't issued to your account through this gateway; ` +
      "send the content itself, or ask the operator to share the id.",
    { param: field },
  );
}

function differentIssuers(first: Reference | undefined, second: Reference): GatewayError {
  return new GatewayError(
    "invalid_request",
    `\`${second.field}\` names '${second.id}', which is stored at a different upstream than '${first?.id}' of \`${first?.field}\`: ` +
      "a request can only use ids of one upstream.",
    { param: second.field },
  );
}
