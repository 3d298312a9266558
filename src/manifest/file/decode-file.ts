import { definedFields } from "../../base/defined-fields.ts";
import type { FieldChanges } from "../../base/json/field-changes.ts";
import type { Path } from "../../base/schema-issues.ts";
import type { Group, UpstreamCost } from "../../catalog/catalog.ts";
import type { ModelDeclaration } from "../../catalog/models-store.ts";
import type { Price } from "../../catalog/price-columns.ts";
import { isListPrice } from "../../catalog/upstream-cost.ts";
import type { CloudPlace, UpstreamOptions, UpstreamRates } from "../../catalog/upstream-options.ts";
import type { CredentialDeclaration, UpstreamDeclaration } from "../../catalog/upstreams-store.ts";
import { endpointOf } from "../../catalog/vocabulary.ts";
import { CHAT_PROTOCOLS } from "../../conversation/protocol-name.ts";
import {
  type CredentialParts,
  credentialText,
  referenceText,
} from "../../upstreams/credentials/credential-forms.ts";
import { kindOf } from "../../upstreams/kinds.ts";
import { presetOf } from "../../upstreams/vendor-presets.ts";
import {
  type DeclaredAccount,
  type DeclaredKey,
  type DeclaredUpstream,
  type Manifest,
  SECTIONS,
} from "../manifest.ts";
import { decodeDimensions, decodePrices, priceRows } from "./price-spelling.ts";
import type { CatalogFile, FileAccount, FileKey, FileModel, FilePrice, FileUpstream } from "./schema.ts";

/** The environment variable that a value of the file was taken from; null = it is written out. */
type ReferenceAt = (path: Path) => string | null;

/** A file that passed every check, in the gateway's own terms. */
export function decodeFile(file: CatalogFile, referenceAt: ReferenceAt): Manifest {
  return {
    sections: new Set(SECTIONS.filter((section) => file[section] !== undefined)),
    groups: (file.groups ?? []).map(({ name, factor }): Group => ({ name, factorPpm: factor })),
    models: (file.models ?? []).map(decodeModel),
    upstreams: (file.upstreams ?? []).map((upstream, index) =>
      decodeUpstream(upstream, ["upstreams", index], referenceAt),
    ),
    settings: file.settings ?? {},
    accounts: (file.accounts ?? []).map((account, index) =>
      decodeAccount(account, ["accounts", index], referenceAt),
    ),
  };
}

function decodeModel(model: FileModel): ModelDeclaration {
  const family = model.family ?? null;
  const isAlias = model.alias_of !== undefined;
  const implied = isAlias
    ? []
    : family === null
      ? CHAT_PROTOCOLS
      : ([family === "imagegen" ? "images" : "videos"] as const);
  return {
    id: model.id,
    family,
    variant: model.variant ?? null,
    ownedBy: model.owned_by,
    created: model.created,
    endpoints: model.endpoints?.flatMap((word) => endpointOf(word) ?? []) ?? implied,
    groups: model.groups ? new Set(model.groups) : null,
    contextTokens: model.context_tokens ?? null,
    maxOutputTokens: model.max_output_tokens ?? null,
    ...decodeRows(model),
    quirks: model.quirks,
    aliasOf: model.alias_of,
    fallbacks: model.fallbacks,
    order: model.order,
  };
}

/** `pricedAt` decides which of the rows with a moment holds now. */
function decodeRows(model: FileModel): Pick<ModelDeclaration, "price" | "coming"> {
  const rows = priceRows(model).map(({ row }) => decodePrice(row));
  const [first = null] = rows;
  const price = first?.fromMs === undefined ? first : null;
  return { price, coming: price === null ? rows : rows.slice(1) };
}

function decodePrice({ from, ...price }: FilePrice): Price {
  const dimensions = decodeDimensions(price);
  return definedFields({
    rates: decodePrices(price),
    dimensions,
    media: definedFields({ perImage: lowerCase(price.per_image), perSecond: lowerCase(price.per_second) }),
    fromMs: from === undefined ? undefined : Date.parse(from),
  });
}

function decodeUpstream(upstream: FileUpstream, path: Path, referenceAt: ReferenceAt): DeclaredUpstream {
  const models = Array.isArray(upstream.models)
    ? upstream.models.map((id): [string, string] => [id, id])
    : Object.entries(upstream.models);
  return definedFields({
    name: upstream.name,
    kind: upstream.kind,
    preset: upstream.preset ?? null,
    baseUrl: baseUrlOf(upstream).replace(/\/+$/, ""),
    protocols: upstream.protocols ?? null,
    models: new Map(models),
    groups: upstream.groups ? new Set(upstream.groups) : null,
    priority: upstream.priority,
    weight: upstream.weight,
    maxConcurrency: upstream.limits.concurrency,
    sharedIds: upstream.shared_ids,
    timeouts: decodeTimeouts(upstream.timeouts),
    probe: upstream.probe,
    signer: upstream.signer,
    cost: upstream.cost ? decodeCost(upstream.cost) : null,
    unaskedTiers: upstream.unasked_tiers,
    region: upstream.region,
    options: decodeOptions(upstream, path, referenceAt),
    enabled: upstream.disabled === undefined ? undefined : !upstream.disabled,
    credentials: decodeCredentials(upstream, path, referenceAt),
  });
}

function baseUrlOf(upstream: FileUpstream): string {
  const { base_url: stated, preset, kind } = upstream;
  return stated ?? presetOf(preset)?.baseUrl ?? kindOf(kind)?.baseUrlAt?.(decodePlace(upstream) ?? {}) ?? "";
}

/** undefined where it states nothing. */
function decodePlace(upstream: FileUpstream): CloudPlace | undefined {
  const { location, project, api_version, token_url, token_scope } = upstream;
  const place = definedFields({
    location,
    project,
    apiVersion: api_version,
    tokenUrl: token_url?.replace(/\/+$/, ""),
    tokenScope: token_scope,
  });
  return Object.keys(place).length > 0 ? place : undefined;
}

function decodeCost({ factor, prices }: NonNullable<FileUpstream["cost"]>): UpstreamCost | null {
  const byModel = Object.entries(prices).map(([model, price]) => [model, decodePrice(price)] as const);
  const cost = { factorPpm: factor, prices: new Map(byModel) };
  return isListPrice(cost) ? null : cost;
}

function decodeOptions(
  upstream: FileUpstream,
  path: Path,
  referenceAt: ReferenceAt,
): UpstreamOptions | undefined {
  const { headers, proxy, ca_file, body, betas, end_user, limits } = upstream;
  const named = Object.entries(headers).map(([name, value]) => {
    const reference = referenceAt([...path, "headers", name]);
    return [name.toLowerCase(), { value, reference }] as const;
  });
  const options = definedFields({
    headers: named.length > 0 ? Object.fromEntries(named) : undefined,
    proxy: proxy === undefined ? undefined : { value: proxy, reference: referenceAt([...path, "proxy"]) },
    caFile: ca_file,
    body: body && changesOf(body),
    betas,
    endUser: end_user,
    place: decodePlace(upstream),
    rates: decodeRates(limits),
  });
  return Object.keys(options).length > 0 ? options : undefined;
}

/** undefined where there are none. */
function decodeRates(limits: FileUpstream["limits"]): UpstreamRates | undefined {
  const rates = definedFields({
    requestsPerMinute: limits.requests_per_minute,
    tokensPerMinute: limits.tokens_per_minute,
  });
  return Object.keys(rates).length > 0 ? rates : undefined;
}

/** undefined where they change nothing. */
function changesOf({
  set,
  default: ifAbsent,
  remove,
}: NonNullable<FileUpstream["body"]>): FieldChanges | undefined {
  const changes = definedFields({
    set: Object.keys(set).length > 0 ? set : undefined,
    default: Object.keys(ifAbsent).length > 0 ? ifAbsent : undefined,
    remove: remove.length > 0 ? remove : undefined,
  });
  return Object.keys(changes).length > 0 ? changes : undefined;
}

function decodeTimeouts(timeouts: FileUpstream["timeouts"]): UpstreamDeclaration["timeouts"] {
  return definedFields({
    connectMs: timeouts.connect_ms,
    firstByteStreamMs: timeouts.first_byte_stream_ms,
    firstBytePlainMs: timeouts.first_byte_plain_ms,
    idleMs: timeouts.idle_ms,
    totalMs: timeouts.total_ms,
  });
}

function decodeCredentials(
  upstream: FileUpstream,
  path: Path,
  referenceAt: ReferenceAt,
): CredentialDeclaration[] {
  if (upstream.credentials !== undefined)
    return upstream.credentials.map((fields, index) => {
      const parts = definedFields(fields) as CredentialParts;
      const place = [...path, "credentials", index];
      const named = Object.keys(parts).flatMap((field): [string, string][] => {
        const reference = referenceAt([...place, field]);
        return reference === null ? [] : [[field, reference]];
      });
      const reference = referenceText(parts, new Map(named));
      return { name: String(index + 1), secret: credentialText(parts), reference, enabled: true };
    });
  const written: [string, Path][] =
    upstream.api_key === undefined
      ? (upstream.api_keys ?? []).map((secret, index) => [secret, [...path, "api_keys", index]])
      : [[upstream.api_key, [...path, "api_key"]]];
  return written.map(([secret, place], index) => ({
    name: String(index + 1),
    secret,
    reference: referenceAt(place),
    enabled: true,
  }));
}

function decodeAccount(account: FileAccount, path: Path, referenceAt: ReferenceAt): DeclaredAccount {
  return definedFields({
    name: account.name,
    group: account.group,
    balanceNanos: account.balance ?? null,
    disabled: account.disabled,
    tagKeys: account.tag_keys,
    legalName: account.legal_name,
    address: account.address,
    taxId: account.tax_id,
    keys: account.keys?.map((key, index) => decodeKey(key, [...path, "keys", index], referenceAt)) ?? null,
  });
}

function decodeKey(key: FileKey, path: Path, referenceAt: ReferenceAt): DeclaredKey {
  const limit = key.spending_limit;
  const rates = key.rate_limits;
  const rateLimits = definedFields({
    requestsPerMinute: rates?.requests_per_minute,
    tokensPerMinute: rates?.tokens_per_minute,
    concurrency: rates?.concurrency,
  });
  return definedFields({
    name: key.name,
    credential: key.key ?? null,
    reference: referenceAt([...path, "key"]),
    models: key.models ?? null,
    disabled: key.disabled,
    expiresAt: key.expires_at === undefined ? null : new Date(key.expires_at),
    spendingLimit: limit ? { amountNanos: limit.amount, period: limit.period } : null,
    rateLimits: Object.keys(rateLimits).length > 0 ? rateLimits : null,
    allowedAddresses: key.allowed_addresses ?? null,
  });
}

function lowerCase(prices: Readonly<Record<string, bigint>> | undefined): Record<string, bigint> | undefined {
  return (
    prices && Object.fromEntries(Object.entries(prices).map(([word, price]) => [word.toLowerCase(), price]))
  );
}
