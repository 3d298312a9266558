import { TEST_KEY } from "./gateway.ts";

export interface CatalogOptions {
  /** Upstreams in the order in which they are tried. */
  readonly upstreams: readonly CatalogUpstream[];
  readonly balance?: string;
  /** Prices of the model `text`; by default each bucket has a price of its own. */
  readonly price?: string;
  /** Additional models like `text`; an upstream serves those that it names. */
  readonly likeText?: readonly string[];
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  /** False: the model `text` is forwarded or not served. */
  readonly translation?: false;
  /** Quirks of the model `text`, as YAML. */
  readonly quirks?: string;
  /** Further YAML at the top level. */
  readonly more?: string;
  readonly settings?: string;
}

export interface CatalogUpstream {
  readonly url: string;
  readonly kind?: string;
  readonly name?: string;
  readonly apiKeys?: readonly string[];
  readonly protocols?: readonly string[];
  /** The upstream's own name for the model `text`. */
  readonly model?: string;
  /** All that it serves, under their own names; by default `text`, `embed` and `rerank`. */
  readonly models?: readonly string[];
  readonly priority?: number;
  readonly timeouts?: string;
  readonly unaskedTiers?: readonly string[];
  readonly region?: string;
  /** Further YAML of the upstream, one field a line. */
  readonly more?: readonly string[];
}

/**
 * A catalog file with the text model `text` (four endpoints), `embed`, `rerank`, an account `acme` and
 * its key TEST_KEY.
 */
export function catalogFile(options: CatalogOptions): string {
  const { balance = "1000", contextTokens = 200_000, maxOutputTokens = 32_000 } = options;
  const price =
    options.price ?? "{ input: 3, output: 15, cache_read: 0.30, cache_write: 3.75, cache_write_1h: 6 }";
  const quirks = options.quirks ?? (options.translation === false ? "{ translation: false }" : undefined);
  const text = (id: string): string => `  - id: ${id}
    endpoints: [oa, oa-response, an, ge]
    context_tokens: ${contextTokens}
    max_output_tokens: ${maxOutputTokens}
${quirks === undefined ? "" : `    quirks: ${quirks}\n`}    price: ${price}`;
  return `version: 1
groups:
  - { name: default, factor: 1 }
models:
${["text", ...(options.likeText ?? [])].map(text).join("\n")}
  - { id: embed, endpoints: [embeddings], context_tokens: 100000, price: { input: 0.02 } }
  - { id: rerank, endpoints: [vendorz-rerank], context_tokens: 100000, price: { input: 0.05 } }
upstreams:
${options.upstreams.map(upstream).join("\n")}
accounts:
  - name: acme
    group: default
    balance: ${balance}
    keys:
      - { name: test, key: "${TEST_KEY}" }
${options.settings ? `settings: ${options.settings}\n` : ""}${options.more ?? ""}`;
}

function upstream(each: CatalogUpstream, index: number): string {
  const kind = each.kind ?? "sandbox";
  const own = each.models === undefined ? undefined : `[${each.models.join(", ")}]`;
  const models =
    own ??
    (kind === "rerank" ? "[rerank]" : `{ text: ${each.model ?? "text"}, embed: embed, rerank: rerank }`);
  return `  - name: ${each.name ?? `upstream-${index + 1}`}
    kind: ${kind}
    base_url: ${each.url}
    api_keys: [${(each.apiKeys ?? ["good-key"]).join(", ")}]
    models: ${models}
    priority: ${each.priority ?? 0}
${each.protocols ? `    protocols: [${each.protocols.join(", ")}]\n` : ""}${each.timeouts ? `    timeouts: ${each.timeouts}\n` : ""}${each.unaskedTiers ? `    unasked_tiers: [${each.unaskedTiers.join(", ")}]\n` : ""}${each.region ? `    region: ${each.region}\n` : ""}${(each.more ?? []).map((line) => `    ${line}\n`).join("")}`;
}
