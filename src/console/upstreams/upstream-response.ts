import { definedFields } from "../../base/defined-fields.ts";
import { formatDecimal } from "../../base/money.ts";
import type { UpstreamCost } from "../../catalog/catalog.ts";
import type { UpstreamRecord } from "../../catalog/upstreams-store.ts";
import { encodeUpstream } from "../../manifest/file/encode-file.ts";
import { conditionLabel } from "../../routing/health/condition.ts";
import { isPlainKey, maskedParts, partsOf } from "../../upstreams/credentials/credential-forms.ts";
import { kindOf } from "../../upstreams/kinds.ts";
import { priceResponse } from "../catalog/model-response.ts";
import type { ConsoleDeps } from "../deps.ts";
import { revisionOf } from "../input.ts";
import type { Traffic, TrafficRow } from "../traffic/contract.ts";
import type { HEALTH_STATES, Upstream } from "./contract.ts";

/** Shorter secrets get no hint, because even a few characters would reveal too much. */
const HINTED_LENGTH = 20;
const HINT_LENGTH = 4;

/** Below this share of failures an upstream has a bad moment, above it is ill. */
const DEGRADED_SHARE = 0.02;
const FAILING_SHARE = 0.5;

/** Upstreams as the wire has them, with how they do now. */
export function upstreamResponses(
  { routing, transport, catalog }: Pick<ConsoleDeps, "routing" | "transport" | "catalog">,
  records: readonly UpstreamRecord[],
  hour: Traffic,
): Upstream[] {
  const rows = new Map(hour.upstreams.map((row) => [row.name, row]));
  const usable = new Set(catalog.current().upstreams.map(({ id }) => id));
  const troubles = routing.unhealthyTargets();
  return records.map((record) => {
    const file = encodeUpstream(record);
    const own = troubles.filter(({ upstreamId }) => upstreamId === record.id);
    // A changed address has a line of its own beside the one that is ending.
    const lines = transport.stats().filter(({ upstream }) => upstream === record.name);
    const { rateLimited, ...attempts } = routing.attempts(record.id);
    const openBreakers = own.filter(({ open }) => open).length;
    const degraded = own.length - openBreakers;
    const places = new Set(record.models.values()).size * Math.max(1, record.credentials.length);
    return {
      id: String(record.id),
      name: record.name,
      kind: record.kind,
      preset: record.preset,
      base_url: record.baseUrl,
      models: Object.fromEntries([...record.models].sort(([a], [b]) => (a < b ? -1 : 1))),
      protocols: record.protocols && [...record.protocols],
      groups: record.groups && [...record.groups].sort(),
      priority: record.priority,
      weight: record.weight,
      limits: definedFields({
        concurrency: record.maxConcurrency,
        requests_per_minute: record.options?.rates?.requestsPerMinute,
        tokens_per_minute: record.options?.rates?.tokensPerMinute,
      }),
      shared_ids: [...record.sharedIds].sort(),
      timeouts: definedFields(file["timeouts"] as Upstream["timeouts"]),
      probe: record.probe,
      signer: record.signer,
      cost: record.cost && costResponse(record.cost),
      unasked_tiers: [...record.unaskedTiers].sort(),
      region: record.region,
      headers: (file["headers"] ?? {}) as Upstream["headers"],
      proxy: (file["proxy"] ?? null) as Upstream["proxy"],
      ca_file: record.options?.caFile ?? null,
      body: (record.options?.body ?? null) as Upstream["body"],
      end_user: record.options?.endUser ?? null,
      location: record.options?.place?.location ?? null,
      project: record.options?.place?.project ?? null,
      api_version: record.options?.place?.apiVersion ?? null,
      token_url: record.options?.place?.tokenUrl ?? null,
      token_scope: record.options?.place?.tokenScope ?? null,
      betas: (file["betas"] ?? null) as Upstream["betas"],
      enabled: record.enabled,
      revision: upstreamRevision(record),
      credentials: record.credentials.map((credential) => ({
        id: String(credential.id),
        name: credential.name,
        hint: fieldsOf(record.kind, credential.secret) === null ? hintOf(credential.secret) : "",
        fields: fieldsOf(record.kind, credential.secret),
        reference: credential.reference,
        enabled: credential.enabled,
        troubles: own
          .filter(({ credentialId }) => credentialId === credential.id)
          .map((trouble) => ({
            model: trouble.model,
            state: conditionLabel(trouble),
            wait_seconds: Math.ceil(trouble.waitMs / 1_000),
            closed_accounts: trouble.closedTo,
          })),
      })),
      health: {
        state: stateOf(record, {
          usable: usable.has(record.id),
          openBreakers,
          places,
          degraded,
          asked: attempts.ok + rateLimited + attempts.failed + attempts.refused,
          failed: attempts.failed,
        }),
        limited_seconds: Math.ceil(routing.limitedSeconds(record)),
        running: lines.reduce((most, { inFlight }) => Math.max(most, inFlight), 0),
        connections: lines.reduce((sum, { connections }) => sum + connections, 0),
        open_breakers: openBreakers,
        attempts: { ...attempts, rate_limited: rateLimited },
      },
      hour: hourOf(rows.get(record.name)),
    };
  });
}

function costResponse({ factorPpm, prices }: UpstreamCost): Upstream["cost"] {
  return {
    factor: formatDecimal(factorPpm, 6),
    prices: Object.fromEntries([...prices].map(([model, price]) => [model, priceResponse(price)])),
  };
}

/** A secret counts, sealed, as a digest of itself would let short ones be guessed. */
export function upstreamRevision(record: UpstreamRecord): string {
  const credentials = record.credentials.map(({ secret: _, ...rest }) => rest);
  return revisionOf({ ...encodeUpstream(record), credentials, options: record.sealed });
}

interface Signs {
  readonly usable: boolean;
  readonly openBreakers: number;
  /** Open to some accounts only, cooling or coming back. */
  readonly degraded: number;
  /** Models by credentials. */
  readonly places: number;
  readonly asked: number;
  readonly failed: number;
}

function stateOf({ enabled }: UpstreamRecord, signs: Signs): (typeof HEALTH_STATES)[number] {
  if (!enabled) return "disabled";
  if (!signs.usable) return "unusable";
  const share = signs.asked === 0 ? 0 : signs.failed / signs.asked;
  const allOpen = signs.openBreakers > 0 && signs.openBreakers === signs.places;
  if (allOpen || share >= FAILING_SHARE) return "failing";
  if (signs.openBreakers > 0 || signs.degraded > 0 || share >= DEGRADED_SHARE) return "degraded";
  return signs.asked === 0 ? "idle" : "healthy";
}

function hourOf(row: TrafficRow | undefined): Upstream["hour"] {
  if (row === undefined) {
    const nothing = { requests: 0, errors: 0, input_tokens: 0, output_tokens: 0, charge_nanos: "0" };
    return { ...nothing, first_byte_p50_ms: null, first_byte_p95_ms: null };
  }
  const { name: _name, first_byte_p99_ms: _tail, ...figures } = row;
  return figures;
}

/** A credential of several fields without its secrets; null = it is a key. */
function fieldsOf(kind: string, secret: string): Record<string, string> | null {
  const forms = kindOf(kind)?.credentialForms;
  return forms === undefined || isPlainKey(partsOf(secret)) ? null : { ...maskedParts(forms, secret) };
}

function hintOf(secret: string): string {
  return secret.length < HINTED_LENGTH ? "" : `…${secret.slice(-HINT_LENGTH)}`;
}
