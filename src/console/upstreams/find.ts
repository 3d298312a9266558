import {
  readUpstreams,
  type UpstreamDeclaration,
  type UpstreamRecord,
} from "../../catalog/upstreams-store.ts";
import { GatewayError } from "../../errors.ts";
import type { Queryable } from "../../storage/database.ts";
import type { ConsoleDeps } from "../deps.ts";
import { idOf } from "../input.ts";
import type { Upstream } from "./contract.ts";
import { upstreamResponses } from "./upstream-response.ts";

const UNKNOWN = "Upstream not found.";

/** The upstream of a path; 404 where there is none. Its credentials are in clear. */
export async function upstreamOf(
  { seals }: Pick<ConsoleDeps, "seals">,
  db: Queryable,
  text: string | undefined,
): Promise<UpstreamRecord> {
  const id = idOf(text, UNKNOWN);
  const found = (await readUpstreams(db, seals)).find((each) => each.id === id);
  if (found === undefined) throw new GatewayError("not_found", UNKNOWN);
  return found;
}

/** The same as the wire has it. */
export async function responseOf(deps: ConsoleDeps, text: string | undefined): Promise<Upstream> {
  return responseFor(deps, await upstreamOf(deps, deps.database, text));
}

export async function responseFor(deps: ConsoleDeps, record: UpstreamRecord): Promise<Upstream> {
  const [response] = upstreamResponses(deps, [record], await deps.traffic.hour());
  if (response === undefined) throw new GatewayError("not_found", UNKNOWN);
  return response;
}

/** An upstream as the audit log keeps it: of credentials only which there are. */
export function auditedCredentials({ credentials }: Pick<UpstreamDeclaration, "credentials">): object {
  return { credentials: credentials.map(({ name, enabled }) => (enabled ? name : `${name} (disabled)`)) };
}
