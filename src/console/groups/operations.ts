import { formatDecimal, parseDecimal } from "../../base/money.ts";
import { deleteGroup, upsertGroup } from "../../catalog/catalog-store.ts";
import { GatewayError } from "../../errors.ts";
import type { Queryable } from "../../storage/database.ts";
import { changeCatalog } from "../catalog/change.ts";
import type { ConsoleDeps } from "../deps.ts";
import { notFound, revisionOf } from "../input.ts";
import { json, type Operation } from "../operation.ts";
import { deleted, type Group, group, groupChange, groups, newGroup } from "./contract.ts";
import { type GroupRow, lockGroup, readGroupRows } from "./group-rows-store.ts";

/** Groups of accounts and the factors on their prices. */
export function groupsOperations(deps: ConsoleDeps): readonly Operation[] {
  return [list(deps), create(deps), change(deps), remove(deps)];
}

const described = { policy: "operator", tag: "groups" } as const;
const GROUP = "/operator/groups/{group}";

function list({ database }: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "GET",
    path: "/operator/groups",
    summary: "All groups, with their uses",
    response: groups,
    async run() {
      return { data: (await readGroupRows(database)).map(groupResponse), next: null };
    },
  });
}

function create(deps: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "POST",
    path: "/operator/groups",
    makes: true,
    summary: "Create a group",
    body: newGroup,
    response: group,
    async run(call) {
      const { name, factor } = call.body;
      const factorPpm = ppmOf(factor);
      return changeCatalog(deps, call, async (tx) => {
        if ((await lockGroup(tx, name)) !== undefined) {
          throw new GatewayError("conflict", "A group with this name already exists.", { param: "name" });
        }
        await upsertGroup(tx, { name, factorPpm });
        const note = { action: "group.create", subject: name, after: { factor } };
        return { value: await groupOf(tx, name), note };
      });
    },
  });
}

function change(deps: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "PATCH",
    path: GROUP,
    scope: "billing",
    summary: "Change a group's price multiplier, for new requests",
    body: groupChange,
    response: group,
    conditional: true,
    async run(call) {
      const name = call.params["group"] ?? "";
      const factorPpm = ppmOf(call.body.factor);
      return changeCatalog(deps, call, async (tx) => {
        const row = await lockGroup(tx, name);
        if (row === undefined) throw notFound("group");
        call.expectRevision(groupRevision(row));
        await upsertGroup(tx, { name, factorPpm });
        const before = { factor: formatDecimal(row.factorPpm, FACTOR_PLACES) };
        const after = { factor: formatDecimal(factorPpm, FACTOR_PLACES) };
        const note = { action: "group.update", subject: name, before, after };
        return { value: await groupOf(tx, name), note };
      });
    },
  });
}

function remove(deps: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "DELETE",
    path: GROUP,
    summary: "Delete a group that nothing uses",
    response: deleted,
    conditional: true,
    async run(call) {
      const name = call.params["group"] ?? "";
      return changeCatalog(deps, call, async (tx) => {
        const row = await lockGroup(tx, name);
        if (row === undefined) throw notFound("group");
        call.expectRevision(groupRevision(row));
        const { accounts, models, upstreams } = row;
        if (name === "default" || accounts + models + upstreams > 0) {
          const users = `${accounts} accounts, ${models} models and ${upstreams} upstreams`;
          const why = name === "default" ? "It's the default group of new accounts" : `It's used by ${users}`;
          throw new GatewayError("conflict", `${why} and can't be removed.`);
        }
        await deleteGroup(tx, name);
        const before = { factor: formatDecimal(row.factorPpm, FACTOR_PLACES) };
        const note = { action: "group.delete", subject: name, before };
        return { value: { deleted: name }, note };
      });
    },
  });
}

/** Parts per million. */
const FACTOR_PLACES = 6;
/** The catalog file's limit. */
const MAX_PPM = 1_000_000_000n;

function ppmOf(factor: string): bigint {
  const ppm = parseDecimal(factor, FACTOR_PLACES);
  if (ppm > MAX_PPM) {
    throw new GatewayError("invalid_request", "factor must be at most 1000.", { param: "factor" });
  }
  return ppm;
}

async function groupOf(tx: Queryable, name: string): Promise<Group> {
  const row = await lockGroup(tx, name);
  if (row === undefined) throw notFound("group");
  return groupResponse(row);
}

function groupResponse({ factorPpm, ...row }: GroupRow): Group {
  const revision = groupRevision({ name: row.name, factorPpm });
  return { ...row, factor: formatDecimal(factorPpm, FACTOR_PLACES), revision };
}

function groupRevision({ name, factorPpm }: Pick<GroupRow, "name" | "factorPpm">): string {
  return revisionOf({ name, factorPpm });
}
