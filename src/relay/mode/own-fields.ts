import { changedFieldsOf, type FieldChanges } from "../../base/json/field-changes.ts";
import { type BodyScan, createBodyScan, type FoundValue } from "../../base/json/json-scan.ts";
import {
  type Edit,
  insertFields,
  removeMembers,
  replaceValue,
  setField,
  setMember,
  textAt,
} from "../../base/json/json-splice.ts";
import type { Upstream } from "../../catalog/catalog.ts";
import type { Loss } from "../../conversation/loss.ts";
import { type EndUser, isAnonymous } from "../../conversation/lower/end-user.ts";
import { GatewayError } from "../../errors.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import { betaLoss, betaRefusal, droppedBetas, leavesBetasOut, sentBetas } from "../../upstreams/betas.ts";
import { bodyChangesAt } from "../../upstreams/body-form.ts";
import type { Candidate } from "../../upstreams/call.ts";
import { kindOf } from "../../upstreams/kinds.ts";
import { watchOf } from "../admit/watch.ts";
import type { TextRequest } from "../text-request.ts";

type ScannedRequest = Pick<TextRequest, "protocol" | "body" | "scan"> & Partial<Pick<TextRequest, "headers">>;

/** The changes that an upstream's options make to a caller's body. */
interface OwnChanges {
  readonly edits: readonly Edit[];
  /** Fields of the caller that the upstream doesn't get. */
  readonly losses: readonly Loss[];
}

const NO_CHANGES: FieldChanges = {};
const NOTHING: OwnChanges = { edits: [], losses: [] };

/**
 * Includes the changes of the kind. `endUser`: the end user to name if the request names none. `isCounted`: the request
 * only counts tokens.
 */
export function ownChanges(
  request: ScannedRequest,
  upstream: Upstream,
  endUser?: EndUser,
  isCounted = false,
): OwnChanges {
  const { options } = upstream;
  const at = { upstream, protocol: request.protocol.name };
  const changes = bodyChangesAt(at, isCounted) ?? NO_CHANGES;
  if (changes === NO_CHANGES && !leavesBetasOut(upstream) && endUser === undefined) return NOTHING;
  const { set = {}, default: ifAbsent = {}, remove = [] } = changes;
  const scan = scanFor(request, changes);
  const isAbsent = ([name]: readonly [string, unknown]): boolean => scan.count(name) === 0;
  const betas = betasInBody(request, upstream);
  const added = [...Object.entries(set), ...Object.entries(ifAbsent), ...betas].filter(isAbsent);
  const { replaced, removed, losses } = betaChanges(request, scan, upstream);
  const cut = [...remove.flatMap((name) => allOf(scan, name)), ...removed];
  return {
    edits: [
      ...Object.entries(set).flatMap(([name, value]) =>
        allOf(scan, name).map((field) => replaceValue(field, JSON.stringify(value))),
      ),
      ...replaced,
      ...removeMembers(request.body, cut),
      ...insertFields(
        scan,
        added.map(([name, value]) => [name, JSON.stringify(value)]),
      ),
      ...(endUser === undefined ? [] : endUserEdits(scan, changes, endUser)),
    ],
    losses: [
      ...changedPaths(options?.body ?? {})
        .filter((name) => scan.count(name) > 0)
        .map(optionLoss),
      ...losses,
    ],
  };
}

/** The betas of a request's headers as a field, where its upstream wants them in its body. */
function betasInBody(
  { protocol, headers }: ScannedRequest,
  upstream: Upstream,
): readonly (readonly [string, unknown])[] {
  const field = protocol.endpoint.betaField;
  if (field === undefined || kindOf(upstream.kind)?.betasInBody !== true) return [];
  const betas = sentBetas(headers?.betas, upstream);
  return betas === undefined ? [] : [[field, betas.split(",").map((beta) => beta.trim())]];
}

function changedPaths({ set = {}, remove = [] }: FieldChanges): string[] {
  return [...remove, ...Object.keys(set)];
}

function optionLoss(path: string): Loss {
  return { path, reason: "upstream-option" };
}

/** The request's own scan, unless the options are newer than it. */
function scanFor({ protocol, body, scan }: ScannedRequest, changes: FieldChanges): BodyScan {
  const fields = changedFieldsOf(changes);
  if (fields.every((field) => scan.watches(field))) return scan;
  const scanner = createBodyScan(watchOf(protocol.name, fields));
  for (const piece of body) scanner.write(piece);
  return scanner.end();
}

function allOf(scan: BodyScan, name: string): readonly FoundValue[] {
  const all = scan.all(name);
  if (all.length === scan.count(name)) return all;
  throw new GatewayError("invalid_request", `\`${name}\` is given too often; send it once.`, { param: name });
}

function endUserEdits(scan: BodyScan, changes: FieldChanges, endUser: EndUser): readonly Edit[] {
  const isOpen = isAnonymous(endUser, changes, {
    has: (field) => scan.count(field) > 0,
    states: (path) => scan.all(path).some(({ type }) => type !== "null"),
  });
  if (!isOpen) return [];
  const { id, place } = endUser;
  const [field, inner] = place;
  if (changes.remove?.includes(field) === true)
    return insertFields(scan, [[field, JSON.stringify(inner === undefined ? id : { [inner]: id })]]);
  return inner === undefined ? setField(scan, field, id) : setMember(scan, [field], inner, id);
}

/** The edits with those of the options, which win where they meet. */
export function withOwnEdits(edits: readonly Edit[], own: readonly Edit[]): Edit[] {
  const meets = (edit: Edit): boolean => own.some(({ start, end }) => edit.start < end && start < edit.end);
  return [...edits.filter((edit) => !meets(edit)), ...own];
}

/** The betas of a request's headers that an upstream doesn't get. */
export function betaLosses({ headers }: Pick<TextRequest, "headers">, candidate: Candidate): readonly Loss[] {
  const { protocol, upstream } = candidate;
  if (PROTOCOLS[protocol].endpoint.version === undefined) return NOTHING.losses;
  return droppedBetas(headers.betas, upstream).map((beta) => betaLoss(beta, upstream));
}

interface BetaChanges extends Pick<OwnChanges, "losses"> {
  readonly replaced: readonly Edit[];
  readonly removed: readonly FoundValue[];
}

/** The lists of betas in a body without those that are left out; one that holds no others is removed. */
function betaChanges({ protocol, body }: ScannedRequest, scan: BodyScan, upstream: Upstream): BetaChanges {
  const replaced: Edit[] = [];
  const removed: FoundValue[] = [];
  const losses: Loss[] = [];
  const field = protocol.endpoint.betaField;
  const { set = {}, remove = [] } = upstream.options?.body ?? {};
  if (field === undefined || !leavesBetasOut(upstream) || Object.hasOwn(set, field) || remove.includes(field))
    return { replaced, removed, losses };
  for (const found of allOf(scan, field)) {
    if (found.type !== "array") continue;
    if (found.end - found.start > LIST_BYTES)
      throw new GatewayError("invalid_request", `\`${field}\` is too long; leave out betas.`, {
        param: field,
      });
    const asked = JSON.parse(textAt(body, found)) as unknown[];
    const sent = asked.filter((beta) => betaRefusal(beta, upstream) === undefined);
    if (sent.length === asked.length) continue;
    if (sent.length === 0) removed.push(found);
    else replaced.push(replaceValue(found, JSON.stringify(sent)));
    const left = new Set(asked.filter((beta) => typeof beta === "string" && !sent.includes(beta)));
    for (const beta of left) losses.push(betaLoss(String(beta), upstream));
  }
  return { replaced, removed, losses };
}

/** Far above all betas of a vendor: the list is parsed on the event loop. */
const LIST_BYTES = 16 * 1024;
