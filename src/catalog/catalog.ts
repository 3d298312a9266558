import type { Caller } from "../accounts/caller.ts";
import type { ProtocolName } from "../conversation/protocol-name.ts";
import type { PriceDimensions } from "./price-table.ts";
import type { TokenPrices } from "./token-prices.ts";
import type { UpstreamOptions } from "./upstream-options.ts";

/** What a model can be called on: the text protocols and the two task endpoints. */
export type Endpoint = ProtocolName | "images" | "videos";

/** One state of the whole catalog; immutable, replaced as a whole when the database says it changed. */
export interface Catalog {
  /** Rises with every change. */
  readonly version: bigint;
  readonly groups: ReadonlyMap<string, Group>;
  /** As the catalog declares them, without list prices of tools. */
  readonly models: ReadonlyMap<string, Model>;
  readonly upstreams: readonly Upstream[];
  /** Every upstream with every credential, those out of service too: what must never be told. */
  readonly allUpstreams: readonly Upstream[];
  /** Top-level fields of requests that options of upstreams change. */
  readonly bodyFields: readonly string[];
  readonly settings: Settings;
  /**
   * Enabled upstreams with a usable credential that serve this model for this group, unordered; with
   * `endpoint`, those that serve it there. [] = not callable.
   */
  serving(modelId: string, group: string, endpoint?: Endpoint): readonly Upstream[];
  /**
   * The model's endpoints on which this group can call it, in the declared order: the one response that the
   * list, `unsupported_endpoint` and routing share. [] = not callable.
   */
  endpointsOf(modelId: string, group: string): readonly Endpoint[];
  /**
   * The model, priced as it is charged, if this caller may use it (the key's models, group, at least one serving upstream); else
   * undefined. By an alias the model that it stands for, so that its id is the real one.
   */
  callable(caller: Caller, modelId: string): Model | undefined;
  /** Every model this caller may call, priced as it is charged; each alias is an entry of its own, with `aliasOf`. */
  listed(caller: Pick<Caller, "models" | "group">): readonly Model[];
  /**
   * Exactly this upstream with this credential, disabled ones too: what has begun there is finished there.
   * undefined = they were removed.
   */
  placed(upstreamId: bigint, credentialId: bigint): PlacedUpstream | undefined;
  /** True if requests that an upstream may get can name only such ids of its things as are known to be the caller's. */
  refusesForeignIds(upstreamId: bigint): boolean;
}

/** An upstream and one of its credentials. */
export interface PlacedUpstream {
  readonly upstream: Upstream;
  readonly credential: Credential;
}

export interface Group {
  readonly name: string;
  /** Price factor in parts per million: 1_000_000n is 1. */
  readonly factorPpm: bigint;
}

export interface Model {
  readonly id: string;
  /** A media family (imagegen, videoa ...); null = text. */
  readonly family: string | null;
  readonly variant: string | null;
  readonly ownedBy: string;
  /** Unix time in seconds. */
  readonly created: number;
  readonly endpoints: readonly Endpoint[];
  /** null = every group. */
  readonly groups: ReadonlySet<string> | null;
  /** Set on every generating model, as the hold of a request counts on it (docs/money.md). */
  readonly contextTokens: number | null;
  readonly maxOutputTokens: number | null;
  /** The price row in force; null = not priced, hence refused. */
  readonly price: PriceRow | null;
  /** Rows that were written ahead, by rising `fromMs`; absent = none. */
  readonly coming?: readonly PriceRow[] | undefined;
  /** Per-model quirks as data (which output-limit field the vendor reads, which system role ...). */
  readonly quirks: Readonly<Record<string, unknown>>;
  /** The model of which this is a second name: all else is that model's; absent = it is a model itself. */
  readonly aliasOf?: string | undefined;
  /** Models that answer in its place, in this order; absent = none. */
  readonly fallbacks?: readonly Fallback[] | undefined;
  /** What its upstreams of one priority are preferred by; absent = their weights alone. */
  readonly order?: UpstreamOrder | undefined;
}

/** Upstreams whose streams begin soon get more, or the cheapest get all that they can take. */
export const UPSTREAM_ORDERS = ["latency", "cost"] as const;
export type UpstreamOrder = (typeof UPSTREAM_ORDERS)[number];

/** How every upstream of a model can have failed, before anything of a response was sent. */
export const FALLBACK_REASONS = ["unavailable", "rate_limited", "context_length", "refusal"] as const;
export type FallbackReason = (typeof FALLBACK_REASONS)[number];

/** The reasons of a fallback model that states none. */
export const DEFAULT_FALLBACK_REASONS: readonly FallbackReason[] = ["unavailable", "rate_limited"];

/** A model that answers in the place of another where that failed in one of these ways. */
export interface Fallback {
  readonly model: string;
  readonly on: readonly FallbackReason[];
}

/** An immutable row of the price book. Rates are nanos per 1,000,000 tokens; undefined = no price of its own. */
export interface PriceRow {
  readonly id: bigint;
  readonly rates: TokenPrices;
  /** What changes the rates, and prices of what is not tokens; absent = nothing does, and there are none. */
  readonly dimensions?: PriceDimensions;
  readonly media: MediaRates;
  /** Of a row that was written ahead, when it begins to hold, in milliseconds since 1970; absent = when it was written. */
  readonly fromMs?: number;
}

/** Nanos for one image by resolution tier, and for one second by resolution; words in lower case. */
export interface MediaRates {
  readonly perImage?: Readonly<Record<string, bigint>>;
  readonly perSecond?: Readonly<Record<string, bigint>>;
}

export interface Upstream {
  readonly id: bigint;
  readonly name: string;
  readonly kind: string;
  /** The vendor or server that it is, if the catalog names it. */
  readonly preset: string | null;
  /** Without trailing slash. */
  readonly baseUrl: string;
  readonly protocols: readonly ProtocolName[];
  /** By our model id, where its kind asks models in different ones; see protocolsAt(). */
  readonly modelProtocols?: ReadonlyMap<string, readonly ProtocolName[]> | undefined;
  /** Our model id -> theirs. */
  readonly models: ReadonlyMap<string, string>;
  readonly groups: ReadonlySet<string> | null;
  /** Lower is tried first. */
  readonly priority: number;
  /** Share within one priority, above 0. */
  readonly weight: number;
  readonly maxConcurrency: number;
  /** What its vendor has signed or encrypted is valid at all upstreams of this name; null = under the same credential only. */
  readonly signer: string | null;
  /** What its vendor bills for text; null = the models' list prices. */
  readonly cost: UpstreamCost | null;
  /** Tiers in which its vendor may serve a request that asks for none. */
  readonly unaskedTiers: readonly string[];
  /** In which region of the price tables it serves where a response and its request name none; null = plainly. */
  readonly region: string | null;
  /** Absent = none. */
  readonly options?: UpstreamOptions | undefined;
  /** Credentials that it was given, those out of service too: its weight is divided by them. */
  readonly configuredCredentials: number;
  /** Ids of things in the vendor's account that every caller of this upstream may name. */
  readonly sharedIds: ReadonlySet<string>;
  readonly timeouts: Timeouts;
  /** It is tried now and then while nobody asks it. */
  readonly probe: boolean;
  readonly credentials: readonly Credential[];
}

/** The protocols in which an upstream is asked for a model of ours. */
export function protocolsAt(
  { protocols, modelProtocols }: Pick<Upstream, "protocols" | "modelProtocols">,
  model: string,
): readonly ProtocolName[] {
  return modelProtocols?.get(model) ?? protocols;
}

/** What an upstream's vendor bills us for text: its own prices by model, elsewhere the list price times a factor. */
export interface UpstreamCost {
  /** Parts per million of the model's list price, before any group's factor. */
  readonly factorPpm: bigint;
  /** By our name of the model. */
  readonly prices: ReadonlyMap<string, Omit<PriceRow, "id">>;
}

export interface Credential {
  readonly id: bigint;
  readonly name: string;
  /** Opened from its seal; lives only in memory, never logged. */
  readonly secret: string;
}

export interface Timeouts {
  readonly connectMs: number;
  readonly firstByteStreamMs: number;
  readonly firstBytePlainMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
}

/** Key for key the `settings` of the catalog file; defaults and their reasons in `settings.ts`. */
export interface Settings {
  /** CIDRs or host:port that the guarded client may reach although private. */
  readonly egressAllow: readonly string[];
  readonly usageRetentionDays: number;
  readonly refusalRetentionDays: number;
  readonly taskRetentionDays: number;
  readonly taskDeadlineMinutes: { readonly image: number; readonly video: number };
  readonly chargeEmptyAnswers: boolean;
  /** For how long the caller of a stream hears nothing: before anything, and since it last heard something. */
  readonly keepalive: { readonly firstMs: number; readonly betweenMs: number };
  /** Where the upstream runs tools: the most passes over a conversation that one request is charged for. */
  readonly maxPasses: number;
  /** Calls of such tools that a hold counts where the caller states no limit. */
  readonly holdCalls: number;
  /** Vendor tools without a price: the request is refused, or goes without them. */
  readonly unpriced: "refuse" | "drop";
  /** By what requests are told to be of one conversation: what their client calls it, or only how it begins. */
  readonly affinity: "auto" | "anchor";
  /** A header, in lower case, in which clients call their conversation by a name. */
  readonly affinityHeader: string | null;
  /** What happens to ids that are not known to be the caller's; null = by how many accounts may use the upstream. */
  readonly foreignIds: "refuse" | "allow" | null;
  /** True if token counting is served. */
  readonly countTokens: boolean;
  /** Where results of tasks are copied to, to be served by stable links. */
  readonly mirror:
    | { readonly kind: "none" }
    | { readonly kind: "disk" }
    | {
        readonly kind: "s3";
        /** Without slash at the end. */
        readonly endpoint: string;
        readonly region: string;
        readonly bucket: string;
        /** Before every key; "" or with a slash at its end. */
        readonly prefix: string;
      };
  /** Requests that wait for money or for a place at a saturated upstream. */
  readonly queues: {
    readonly balanceWaiting: number;
    readonly balanceWaitMs: number;
    readonly tasksPerModel: number;
  };
  /** What the request bodies of one process may take together. */
  readonly bodyMemoryMb: number;
  /** host:port where /metrics is served instead of the main address; null = the main one. */
  readonly metricsAddress: string | null;
  /** What is kept of the token with which monitors elsewhere read /metrics; null = there is none. */
  readonly metricsToken: string | null;
  /** CIDRs whose `x-forwarded-for` is believed. */
  readonly trustedProxies: readonly string[];
  /** How people get into the dashboard. */
  readonly signIn: {
    /** Whoever comes gets an account of their own. */
    readonly selfRegistration: boolean;
    readonly oidc: readonly OidcProvider[];
  };
}

/** An identity provider to sign in with. */
export interface OidcProvider {
  /** Stands for it in links. */
  readonly id: string;
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** The environment variable that holds its secret. */
  readonly clientSecretName: string;
}
