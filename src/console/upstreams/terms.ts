import { definedFields } from "../../base/defined-fields.ts";
import {
  changedSecrets,
  destinationOf,
  keepReferences,
  MASKED,
  maskedProxy,
  type UpstreamOptions,
} from "../../catalog/upstream-options.ts";
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
import { encodeCredentials, encodeUpstream } from "../../manifest/file/encode-file.ts";
import { ItemError, readUpstream } from "../../manifest/file/read-item.ts";
import type { DeclaredUpstream } from "../../manifest/manifest.ts";
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
import { sentText } from "./credential-text.ts";
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

/** The declaration of the form, with the credentials that stay. */
async function judge(tx: Queryable, { name, terms, before }: Judged): Promise<UpstreamDeclaration> {
  const { api_keys, credentials, enabled, ...form } = terms;
  const stored = before?.credentials ?? [];
  if (api_keys !== undefined && credentials !== undefined)
    throw new ItemError("credentials", "can't be sent beside api_keys");
  const sent = api_keys ?? credentials?.map((fields) => sentText(terms.kind, { fields }) ?? "");
  const written = encodeCredentials(terms.kind, sent ?? stored.map(({ secret }) => secret));
  const file = definedFields({
    ...withoutNulls(form),
    ...storedSecrets(form, before?.options),
    name,
    ...written,
  });
  const declared = readUpstream(file, await readKnownNames(tx));
  if (before !== undefined) refuseMoved(before, declared, terms);
  return {
    ...declared,
    options: keepReferences(declared.options, before?.options),
    enabled: enabled ?? before?.enabled ?? UPSTREAM_DEFAULTS.enabled,
    credentials: sent === undefined ? stored : declared.credentials,
  };
}

/** A stored credential goes only to the server it was entered for: a new address must not be a way to read it. */
function refuseMoved(before: UpstreamRecord, declared: DeclaredUpstream, terms: UpstreamTerms): void {
  const destination = destinationOf(declared);
  if (destinationOf(before) === destination) return;
  const kept = Object.entries(terms.headers ?? {}).find(([, value]) => value === MASKED);
  const isSent = terms.api_keys !== undefined || terms.credentials !== undefined;
  const keepsCredentials = before.credentials.length > 0 && !isSent;
  if (kept === undefined && !keepsCredentials) return;
  const where = destination.startsWith(new URL(before.baseUrl).origin) ? "proxy" : "base_url";
  throw new GatewayError(
    "invalid_request",
    `${where}: changes the server to ${destination}; send its credentials in ${keepsCredentials ? "api_keys" : "headers"}, because stored ones are only sent to their own server`,
    { param: keepsCredentials ? "api_keys" : "headers" },
  );
}

/** The secrets of a form, those that it keeps as they are stored. */
function storedSecrets(
  { headers = {}, proxy }: Pick<UpstreamTerms, "headers" | "proxy">,
  options: UpstreamOptions | undefined,
): Pick<UpstreamTerms, "headers" | "proxy"> {
  const before = options?.proxy?.value;
  const values = Object.entries(headers).map(([name, value]): [string, string] => {
    if (value !== MASKED) return [name, value];
    const stored = options?.headers?.[name.toLowerCase()];
    if (stored === undefined) throw new ItemError(`headers.${name}`, "has no stored value to keep; write it");
    return [name, stored.value];
  });
  const isKept = before !== undefined && proxy === maskedProxy(before);
  if (!isKept && proxy?.includes(`${MASKED}@`))
    throw new ItemError("proxy", "has no stored password to keep; write it");
  return definedFields({
    headers: Object.fromEntries(values),
    proxy: isKept ? before : (proxy ?? undefined),
  });
}

function audited(upstream: UpstreamDeclaration): object {
  return { ...encodeUpstream(upstream), ...auditedCredentials(upstream) };
}

function noteOf(action: string, before: UpstreamRecord, after: UpstreamDeclaration) {
  const secretsOf = ({ credentials }: UpstreamDeclaration): string =>
    credentials.map(({ secret }) => secret).join("\n");
  const replaced = secretsOf(before) === secretsOf(after) ? {} : { credentials: "replaced" };
  const secrets = changedSecrets(before.options, after.options);
  const changed = secrets.length > 0 ? { secrets } : {};
  return {
    action,
    subject: before.name,
    before: audited(before),
    after: { ...audited(after), ...replaced, ...changed },
  };
}
