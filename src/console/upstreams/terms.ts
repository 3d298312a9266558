import { definedFields } from "../../base/defined-fields.ts";
import {
  deleteUpstream,
  readUpstreams,
  setUpstreamEnabled,
  UPSTREAM_DEFAULTS,
  type UpstreamDeclaration,
  type UpstreamRecord,
  upsertUpstream,
} from "../../catalog/upstreams-store.ts";
import { GatewayError } from "../../errors.ts";
import { encodeUpstream } from "../../manifest/file/encode-file.ts";
import { readUpstream } from "../../manifest/file/read-item.ts";
import type { Queryable } from "../../storage/database.ts";
import { changeCatalog, readKnownNames, withoutNulls } from "../catalog/change.ts";
import type { ConsoleDeps } from "../deps.ts";
import { json, type Operation } from "../operation.ts";
import {
  newUpstream,
  removed,
  type UpstreamTerms,
  upstream,
  upstreamState,
  upstreamTerms,
} from "./contract.ts";
import { auditedCredentials, responseFor, responseOf, upstreamOf } from "./find.ts";
import { upstreamRevision } from "./upstream-response.ts";

const described = { policy: "operator", tag: "upstreams" } as const;
const UPSTREAM = "/operator/upstreams/{upstream}";

/** Upstreams declared by hand, by the rules of the catalog file. */
export function termsOperations(deps: ConsoleDeps): readonly Operation[] {
  return [create(deps), update(deps), setState(deps), remove(deps)];
}

function create(deps: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "POST",
    path: "/operator/upstreams",
    makes: true,
    summary: "Add an upstream",
    body: newUpstream,
    response: upstream,
    async run(call) {
      const { name, ...terms } = call.body;
      const id = await changeCatalog(deps, call, async (tx) => {
        if ((await readUpstreams(tx, deps.seals)).some((each) => each.name === name))
          throw new GatewayError("conflict", `An upstream ${name} already exists.`, { param: "name" });
        const declared = await judge(tx, { name, terms, before: undefined });
        const value = await upsertUpstream(tx, deps.seals, declared);
        return { value, note: { action: "upstream.create", subject: name, after: audited(declared) } };
      });
      return await responseOf(deps, String(id));
    },
  });
}

function update(deps: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "PUT",
    path: UPSTREAM,
    summary: "Replace an upstream; its credentials stay unless others are sent",
    body: upstreamTerms,
    response: upstream,
    conditional: true,
    async run(call) {
      const { upstream: id } = call.params;
      const written = await changeCatalog(deps, call, async (tx) => {
        const before = await upstreamOf(deps, tx, id);
        call.expectRevision(upstreamRevision(before));
        const declared = await judge(tx, { name: before.name, terms: call.body, before });
        await upsertUpstream(tx, deps.seals, declared);
        const value = await upstreamOf(deps, tx, id);
        return { value, note: noteOf("upstream.update", before, declared) };
      });
      return responseFor(deps, written);
    },
  });
}

function setState(deps: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "PUT",
    path: `${UPSTREAM}/state`,
    summary: "Enable or disable an upstream; a disabled one gets no new requests, and running ones finish",
    body: upstreamState,
    response: upstream,
    async run(call) {
      const { upstream: id } = call.params;
      await changeCatalog(deps, call, async (tx) => {
        const before = await upstreamOf(deps, tx, id);
        const after = { ...before, enabled: call.body.enabled };
        await setUpstreamEnabled(tx, before.name, after.enabled);
        const action = after.enabled ? "upstream.enable" : "upstream.disable";
        return { value: undefined, note: noteOf(action, before, after) };
      });
      return responseOf(deps, id);
    },
  });
}

function remove(deps: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "DELETE",
    path: UPSTREAM,
    summary: "Remove an upstream with its credentials; its running tasks can no longer be polled",
    response: removed,
    conditional: true,
    run: (call) =>
      changeCatalog(deps, call, async (tx) => {
        const before = await upstreamOf(deps, tx, call.params["upstream"]);
        call.expectRevision(upstreamRevision(before));
        await deleteUpstream(tx, before.name);
        return {
          value: { removed: true as const },
          note: { action: "upstream.delete", subject: before.name, before: audited(before) },
        };
      }),
  });
}

interface Judged {
  readonly name: string;
  readonly terms: UpstreamTerms;
  readonly before: UpstreamRecord | undefined;
}

/** What the form declares, with the credentials that stay. */
async function judge(tx: Queryable, { name, terms, before }: Judged): Promise<UpstreamDeclaration> {
  const { api_keys, enabled, ...form } = terms;
  const stored = before?.credentials ?? [];
  const secrets = api_keys ?? stored.map(({ secret }) => secret);
  const file = definedFields({
    ...withoutNulls(form),
    name,
    api_keys: secrets.length > 0 ? secrets : undefined,
  });
  const declared = readUpstream(file, await readKnownNames(tx));
  if (before !== undefined && api_keys === undefined) refuseMoved(before, declared.baseUrl);
  return {
    ...declared,
    enabled: enabled ?? before?.enabled ?? UPSTREAM_DEFAULTS.enabled,
    credentials: api_keys === undefined ? stored : declared.credentials,
  };
}

/** A stored credential goes only to the server it was entered for: a new address must not be a way to read it. */
function refuseMoved(before: UpstreamRecord, baseUrl: string): void {
  const { origin } = new URL(baseUrl);
  if (before.credentials.length === 0 || new URL(before.baseUrl).origin === origin) return;
  throw new GatewayError(
    "invalid_request",
    `base_url: changes the server to ${origin}; send its credentials in api_keys, because stored ones are only sent to their own server`,
    { param: "api_keys" },
  );
}

function audited(upstream: UpstreamDeclaration): object {
  return { ...encodeUpstream(upstream), ...auditedCredentials(upstream) };
}

function noteOf(action: string, before: UpstreamRecord, after: UpstreamDeclaration) {
  const secretsOf = ({ credentials }: UpstreamDeclaration): string =>
    credentials.map(({ secret }) => secret).join("\n");
  const replaced = secretsOf(before) === secretsOf(after) ? {} : { credentials: "replaced" };
  return { action, subject: before.name, before: audited(before), after: { ...audited(after), ...replaced } };
}
