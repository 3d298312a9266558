import { Document, isScalar, visit } from "yaml";
import type { AccountDeclaration } from "../../accounts/accounts-store.ts";
import type { KeyTerms } from "../../accounts/keys-store.ts";
import { definedFields } from "../../base/defined-fields.ts";
import { formatDecimal, formatUsd } from "../../base/money.ts";
import type { Group, Timeouts, UpstreamCost } from "../../catalog/catalog.ts";
import { momentText } from "../../catalog/coming-prices.ts";
import type { ModelDeclaration } from "../../catalog/models-store.ts";
import type { Price } from "../../catalog/price-columns.ts";
import { MASKED, maskedProxy } from "../../catalog/upstream-options.ts";
import { UPSTREAM_DEFAULTS, type UpstreamDeclaration } from "../../catalog/upstreams-store.ts";
import { vocabularyOf } from "../../catalog/vocabulary.ts";
import { isPlainKey, partsOf } from "../../upstreams/credentials/credential-forms.ts";
import { kindOf } from "../../upstreams/kinds.ts";
import { decimalValue, type FileRecord, type FileValue, usdByName } from "./file-value.ts";
import { encodeDimensions, encodePrices } from "./price-spelling.ts";

const vocabulary = vocabularyOf("spec");

export function encodeGroup(group: Group): FileRecord {
  return { name: group.name, factor: decimalValue(formatDecimal(group.factorPpm, 6)) };
}

export function encodeModel(model: ModelDeclaration): FileRecord {
  if (model.aliasOf !== undefined) return { id: model.id, alias_of: model.aliasOf, created: model.created };
  return {
    id: model.id,
    family: model.family ?? undefined,
    variant: model.variant ?? undefined,
    owned_by: model.ownedBy,
    created: model.created,
    endpoints: model.endpoints.map((endpoint) => vocabulary.wordOf(endpoint)),
    groups: sorted(model.groups),
    context_tokens: model.contextTokens ?? undefined,
    max_output_tokens: model.maxOutputTokens ?? undefined,
    fallbacks: model.fallbacks?.map(({ model: id, on }) => ({ model: id, on: [...on] })),
    order: model.order,
    price: encodeRows(model),
    quirks: model.quirks as FileRecord,
  };
}

/** The price in force, and behind it those to come. When the one in force began is not declared, but history. */
function encodeRows({
  price,
  coming = [],
}: Pick<ModelDeclaration, "price" | "coming">): FileValue | undefined {
  const rows = [...(price === null ? [] : [encodePrice(price)]), ...coming.map(encodeComing)];
  return rows.length > 1 ? rows : rows[0];
}

/** A price that was written ahead. */
export function encodeComing({ fromMs, ...price }: Price): FileRecord {
  return { from: fromMs === undefined ? undefined : momentText(fromMs), ...encodePrice(price) };
}

export function encodePrice({ rates, dimensions, media }: Price): FileRecord {
  const beside = dimensions && encodeDimensions(dimensions);
  return {
    ...encodePrices(rates),
    ...beside,
    per_image: media.perImage && usdByName(media.perImage),
    per_second: media.perSecond && usdByName(media.perSecond),
  };
}

/** Secrets of its options are masked. */
export function encodeUpstream(upstream: Omit<UpstreamDeclaration, "credentials">): FileRecord {
  const { headers, proxy, caFile, body, betas, endUser, place } = upstream.options ?? {};
  return {
    name: upstream.name,
    kind: upstream.kind,
    preset: upstream.preset ?? undefined,
    base_url: upstream.baseUrl,
    location: place?.location,
    project: place?.project,
    api_version: place?.apiVersion,
    token_url: place?.tokenUrl,
    token_scope: place?.tokenScope,
    models: Object.fromEntries(upstream.models),
    protocols: upstream.protocols ?? undefined,
    groups: sorted(upstream.groups),
    priority: upstream.priority,
    weight: upstream.weight,
    limits: encodeLimits(upstream),
    shared_ids: upstream.sharedIds.length === 0 ? undefined : [...upstream.sharedIds].sort(),
    timeouts: encodeTimeouts(upstream.timeouts),
    probe: upstream.probe,
    signer: upstream.signer ?? undefined,
    cost: upstream.cost ? encodeCost(upstream.cost) : undefined,
    unasked_tiers: upstream.unaskedTiers.length === 0 ? undefined : [...upstream.unaskedTiers].sort(),
    region: upstream.region ?? undefined,
    headers: headers && Object.fromEntries(Object.keys(headers).map((name) => [name, MASKED])),
    proxy: proxy && maskedProxy(proxy.value),
    ca_file: caFile,
    body: body as FileRecord | undefined,
    betas: betas && { drop: [...betas.drop].sort() },
    end_user: endUser,
    disabled: !upstream.enabled,
  };
}

/** Credentials as a catalog file has them, in clear. */
export function encodeCredentials(kind: string, secrets: readonly string[]): FileRecord {
  if (secrets.length === 0) return {};
  const parts = kindOf(kind)?.credentialForms === undefined ? [] : secrets.map(partsOf);
  return parts.every(isPlainKey)
    ? { api_keys: [...secrets] }
    : { credentials: parts.map((each) => ({ ...each })) };
}

function encodeCost({ factorPpm, prices }: UpstreamCost): FileRecord {
  const byModel = Object.entries(Object.fromEntries(prices)).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    factor: decimalValue(formatDecimal(factorPpm, 6)),
    prices: Object.fromEntries(byModel.map(([model, price]) => [model, encodePrice(price)])),
  };
}

/** undefined where nothing limits it but the default. */
function encodeLimits({
  maxConcurrency,
  options,
}: Pick<UpstreamDeclaration, "maxConcurrency" | "options">): FileRecord | undefined {
  const limits = definedFields({
    concurrency: maxConcurrency === UPSTREAM_DEFAULTS.maxConcurrency ? undefined : maxConcurrency,
    requests_per_minute: options?.rates?.requestsPerMinute,
    tokens_per_minute: options?.rates?.tokensPerMinute,
  });
  return Object.keys(limits).length > 0 ? limits : undefined;
}

function encodeTimeouts(timeouts: Partial<Timeouts>): FileRecord {
  return {
    connect_ms: timeouts.connectMs,
    first_byte_stream_ms: timeouts.firstByteStreamMs,
    first_byte_plain_ms: timeouts.firstBytePlainMs,
    idle_ms: timeouts.idleMs,
    total_ms: timeouts.totalMs,
  };
}

export function encodeAccount(account: AccountDeclaration): FileRecord {
  const { name, group, disabled = false, tagKeys = [] } = account;
  return {
    name,
    group,
    disabled,
    tag_keys: tagKeys.length > 0 ? [...tagKeys] : undefined,
    legal_name: account.legalName ?? undefined,
    address: account.address ?? undefined,
    tax_id: account.taxId ?? undefined,
  };
}

export function encodeKey(key: KeyTerms & { readonly name: string }): FileRecord {
  const { spendingLimit: limit, rateLimits: rates } = key;
  return {
    name: key.name,
    models: sorted(key.models),
    disabled: key.disabled ?? false,
    expires_at: key.expiresAt?.toISOString(),
    spending_limit: limit
      ? { amount: decimalValue(formatUsd(limit.amountNanos)), period: limit.period }
      : undefined,
    rate_limits: rates
      ? {
          requests_per_minute: rates.requestsPerMinute,
          tokens_per_minute: rates.tokensPerMinute,
          concurrency: rates.concurrency,
        }
      : undefined,
    allowed_addresses: sorted(key.allowedAddresses),
  };
}

/** For lists in which neither order nor number means anything: keys made elsewhere may name a model twice. */
function sorted(names: Iterable<string> | null | undefined): string[] | undefined {
  return names ? [...new Set(names)].sort() : undefined;
}

/** A catalog file as text: lists of names on one line, `heading` as comments at the top. */
export function writeYaml(file: FileRecord, heading: readonly string[]): string {
  const document = new Document(file, { version: "1.2", schema: "core", aliasDuplicateObjects: false });
  document.commentBefore = heading.map((line) => (line ? ` ${line}` : "")).join("\n");
  visit(document, {
    Seq: (_, list) => {
      list.flow = list.items.every((item) => isScalar(item));
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}
