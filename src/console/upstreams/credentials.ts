import { setCredential, type UpstreamRecord, upsertUpstream } from "../../catalog/upstreams-store.ts";
import { GatewayError } from "../../errors.ts";
import { ItemError } from "../../manifest/file/read-item.ts";
import type { Queryable } from "../../storage/database.ts";
import { probeUpstream } from "../../upstreams/probe.ts";
import { changeCatalog } from "../catalog/change.ts";
import type { ConsoleDeps } from "../deps.ts";
import { json, type Operation } from "../operation.ts";
import { credentialChange, credentialTest, newCredential, upstream } from "./contract.ts";
import { asSent, type SentCredential, sentText } from "./credential-text.ts";
import { auditedCredentials, responseOf, upstreamOf } from "./find.ts";
import { judgeStored } from "./judge-stored.ts";

const described = { policy: "operator", tag: "upstreams" } as const;
const CREDENTIALS = "/operator/upstreams/{upstream}/credentials";
const CREDENTIAL = `${CREDENTIALS}/{credential}`;

/** An upstream that wants no key is tested under this word. */
const NO_CREDENTIAL = "none";

/** Credentials: written, switched, tested, and never read. */
export function credentialOperations(deps: ConsoleDeps): readonly Operation[] {
  return [add(deps), change(deps), remove(deps), test(deps)];
}

function add(deps: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "POST",
    path: CREDENTIALS,
    makes: true,
    summary: "Add a credential",
    body: newCredential,
    response: upstream,
    async run(call) {
      const { name } = call.body;
      const { upstream: id } = call.params;
      await changeCatalog(deps, call, async (tx) => {
        const before = await upstreamOf(deps, tx, id);
        const secret = sentText(before.kind, call.body);
        if (secret === undefined) throw new ItemError("secret", "is required");
        const credential = { secret, name: name ?? freeName(before), reference: null, enabled: true };
        const credentials = [...before.credentials, credential];
        await judgeSent(tx, { ...before, credentials }, before.credentials.length, call.body);
        await upsertUpstream(tx, deps.seals, { ...before, credentials });
        return { value: undefined, note: noteOf("credential.create", before, { credentials }) };
      });
      return await responseOf(deps, id);
    },
  });
}

function change(deps: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "PATCH",
    path: CREDENTIAL,
    summary: "Replace a credential's secret, rename it, enable or disable it",
    body: credentialChange,
    response: upstream,
    async run(call) {
      const { upstream: id, credential: credentialId } = call.params;
      const { name, enabled } = call.body;
      await changeCatalog(deps, call, async (tx) => {
        const before = await upstreamOf(deps, tx, id);
        const old = credentialOf(before, credentialId);
        const secret = sentText(before.kind, call.body, old.secret);
        const changed = {
          id: old.id,
          secret: secret ?? old.secret,
          name: name ?? old.name,
          enabled: enabled ?? old.enabled,
          reference: secret === undefined ? old.reference : null,
        };
        const credentials = before.credentials.map((each) => (each === old ? changed : each));
        // A credential that is only enabled, disabled or renamed was validated when it was written.
        if (secret !== undefined)
          await judgeSent(tx, { ...before, credentials }, before.credentials.indexOf(old), call.body);
        await setCredential(tx, deps.seals, changed);
        const note = noteOf("credential.update", before, { credentials });
        const after = secret === undefined ? note.after : { ...note.after, replaced: changed.name };
        return { value: undefined, note: { ...note, after } };
      });
      return responseOf(deps, id);
    },
  });
}

function remove(deps: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "DELETE",
    path: CREDENTIAL,
    summary: "Remove a credential; running tasks that use it can no longer be polled",
    response: upstream,
    async run(call) {
      const { upstream: id, credential: credentialId } = call.params;
      await changeCatalog(deps, call, async (tx) => {
        const before = await upstreamOf(deps, tx, id);
        const old = credentialOf(before, credentialId);
        const credentials = before.credentials.filter((each) => each !== old);
        await judgeStored(tx, { ...before, credentials });
        await upsertUpstream(tx, deps.seals, { ...before, credentials });
        return { value: undefined, note: noteOf("credential.delete", before, { credentials }) };
      });
      return responseOf(deps, id);
    },
  });
}

/** Judges an upstream of which the credential at a place was sent. */
async function judgeSent(
  tx: Queryable,
  changed: Parameters<typeof judgeStored>[1],
  index: number,
  sent: SentCredential,
): Promise<void> {
  try {
    await judgeStored(tx, changed);
  } catch (error) {
    throw asSent(error, index, sent);
  }
}

function test(deps: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "POST",
    path: `${CREDENTIAL}/test`,
    summary: "Test a credential for free, like `faregate doctor`",
    unaudited: "it changes nothing",
    response: credentialTest,
    async run({ params }) {
      const { database, catalog, clock, environment } = deps;
      const record = await upstreamOf(deps, database, params["upstream"]);
      const { id } =
        params["credential"] === NO_CREDENTIAL && record.credentials.length === 0
          ? { id: -record.id }
          : credentialOf(record, params["credential"]);
      await catalog.refresh();
      // Disabled ones too: one wants to know before switching it on.
      const placed = catalog.current().placed(record.id, id);
      if (placed === undefined) throw new GatewayError("not_found", UNKNOWN);
      const begun = clock.monotonicMs();
      const problem = await probeUpstream(placed.upstream, placed.credential, { clock, environment });
      return {
        ok: problem === undefined,
        latency_ms: Math.round(clock.monotonicMs() - begun),
        message: problem ?? "reachable, credential accepted",
      };
    },
  });
}

const UNKNOWN = "Credential not found.";

function credentialOf(
  { credentials }: UpstreamRecord,
  id: string | undefined,
): UpstreamRecord["credentials"][number] {
  const found = credentials.find((each) => String(each.id) === id);
  if (found === undefined) throw new GatewayError("not_found", UNKNOWN);
  return found;
}

function noteOf(action: string, before: UpstreamRecord, after: Parameters<typeof auditedCredentials>[0]) {
  return {
    action,
    subject: before.name,
    before: auditedCredentials(before),
    after: auditedCredentials(after),
  };
}

/** The file's credentials are called by their place. */
function freeName({ credentials }: UpstreamRecord): string {
  const taken = new Set(credentials.map(({ name }) => name));
  let number = credentials.length + 1;
  while (taken.has(String(number))) number += 1;
  return String(number);
}
