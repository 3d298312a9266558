import type { Catalog, Endpoint, Upstream } from "../../catalog/catalog.ts";
import { requestChanges } from "../../catalog/upstream-options.ts";
import { EXAMPLE_PROTOCOL } from "../../conversation/protocol-name.ts";
import { conditionLabel } from "../../routing/health/condition.ts";
import { readCoolings } from "../../tasks/store/task-queue-store.ts";
import type { ConsoleDeps } from "../deps.ts";
import { json, type Operation } from "../operation.ts";
import { type Route, route, routeQuery } from "./contract.ts";

type Target = Route["targets"][number];

/** The upstreams that a request would try, in order, with the reasons. */
export function routingOperations(deps: ConsoleDeps): readonly Operation[] {
  return [
    json({
      method: "GET",
      path: "/operator/routing",
      policy: "operator",
      tag: "upstreams",
      summary: "Upstreams for a request, in order, with reasons",
      query: routeQuery,
      response: route,
      async run({ query: { model: named, group, endpoint: given } }) {
        const catalog = deps.catalog.current();
        const model = catalog.models.get(named)?.aliasOf ?? named;
        const endpoints = catalog.models.get(model)?.endpoints ?? [];
        const endpoint = given ?? endpoints[0] ?? EXAMPLE_PROTOCOL;
        const targets =
          endpoint === "images" || endpoint === "videos"
            ? await mediaTargets(deps, catalog.serving(model, group, endpoint), model)
            : textTargets(deps, catalog, { model, group, protocol: endpoint });
        const { sampled, once } = deps.routing.seenConversations(model);
        return {
          process: deps.runtime.label,
          endpoint,
          endpoints: [...endpoints],
          refusal: targets.length > 0 ? null : refusalOf(catalog, { model, group, endpoint }),
          conversations: { sampled, seen_once: once },
          targets,
        };
      },
    }),
  ];
}

function textTargets(
  { routing }: ConsoleDeps,
  catalog: Catalog,
  order: {
    readonly model: string;
    readonly group: string;
    readonly protocol: Exclude<Endpoint, "images" | "videos">;
  },
): Target[] {
  const targets = routing.inspect(catalog, order);
  return targets.map(({ tier, upstream, model, protocol, full, limitedSeconds, credentials }) => ({
    tier,
    upstream: nameOf(upstream),
    model,
    protocol,
    full,
    limited_seconds: Math.ceil(limitedSeconds),
    translates: protocol !== order.protocol,
    changes: requestChanges(upstream.options),
    priority: upstream.priority,
    weight: upstream.weight,
    share: upstream.weight / weightOf(targets.filter((each) => each.tier === tier)),
    credentials: credentials.map(({ id, name, ...condition }) => ({
      id: String(id),
      name,
      wait_seconds: Math.ceil(condition.waitMs / 1_000),
      state: conditionLabel(condition),
      closed_accounts: condition.closedTo,
    })),
  }));
}

/** Tasks ask by priority and weight alike; what cools down is written in the database, for all processes. */
async function mediaTargets(
  { database, routing }: ConsoleDeps,
  upstreams: readonly Upstream[],
  model: string,
): Promise<Target[]> {
  const coolings = await readCoolings(database);
  const priorities = [...new Set(upstreams.map(({ priority }) => priority))].sort((a, b) => a - b);
  const placed = upstreams.map((upstream) => ({ tier: priorities.indexOf(upstream.priority) + 1, upstream }));
  return placed
    .sort((a, b) => a.tier - b.tier || (a.upstream.name < b.upstream.name ? -1 : 1))
    .map(({ tier, upstream }) => {
      const name = upstream.models.get(model) ?? model;
      return {
        tier,
        upstream: nameOf(upstream),
        model: name,
        protocol: null,
        translates: false,
        changes: requestChanges({ headers: upstream.options?.headers ?? {} }),
        full: false,
        limited_seconds: 0,
        priority: upstream.priority,
        weight: upstream.weight,
        share: upstream.weight / weightOf(placed.filter((each) => each.tier === tier)),
        credentials: upstream.credentials.map((credential) => {
          const coolSeconds = coolings.get(`${upstream.id} ${credential.id} ${name}`) ?? 0;
          const learnt = routing.condition({ upstream, credential, model: name });
          return {
            id: String(credential.id),
            name: credential.name,
            wait_seconds: Math.max(coolSeconds, Math.ceil(learnt.waitMs / 1_000)),
            state: conditionLabel({ ...learnt, cooling: learnt.cooling || coolSeconds > 0 }),
            closed_accounts: learnt.closedTo,
          };
        }),
      };
    });
}

interface Asked {
  readonly model: string;
  readonly group: string;
  readonly endpoint: Endpoint;
}

/** The first of the rules of the catalog that is not met. */
function refusalOf(catalog: Catalog, { model, group, endpoint }: Asked): string {
  const known = catalog.models.get(model);
  if (known === undefined) return `Model ${model} not found.`;
  if (!catalog.groups.has(group)) return `Group ${group} not found.`;
  if (known.price === null) return `${model} has no price.`;
  if (known.groups !== null && !known.groups.has(group)) return `${model} isn't available to group ${group}.`;
  if (!known.endpoints.includes(endpoint)) return `${model} does not declare the endpoint ${endpoint}.`;
  return `No enabled upstream with a usable credential serves ${model} to group ${group} there.`;
}

function nameOf({ id, name, kind }: Upstream): Target["upstream"] {
  return { id: String(id), name, kind };
}

function weightOf(targets: readonly { readonly upstream: Pick<Upstream, "weight"> }[]): number {
  return targets.reduce((sum, { upstream }) => sum + upstream.weight, 0);
}
