import type { Caller } from "../accounts/caller.ts";
import type { ProtocolName } from "../conversation/protocol-name.ts";
import type { PriceDimensions } from "./price-table.ts";
import type { TokenPrices } from "./token-prices.ts";
import type { UpstreamOptions } from "./upstream-options.ts";

/** An endpoint on which a model can be called: the text protocols and the two task endpoints. */
export type Endpoint = ProtocolName | "images" | "videos";

/** One immutable state of the whole catalog. A change in the database replaces it as a whole. */
export interface Catalog {
  /** Increases with every change. */
  readonly version: bigint;
  readonly groups: ReadonlyMap<string, Group>;
  /** The models as the catalog declares them, without list prices of tools. */
  readonly models: ReadonlyMap<string, Model>;
  readonly upstreams: readonly Upstream[];
  /** All upstreams with all credentials, also those out of service: their secrets must never be shown. */
  readonly allUpstreams: readonly Upstream[];
  /** Top-level fields of requests that options of upstreams change. */
  readonly bodyFields: readonly string[];
  readonly settings: Settings;
  /**
   * Enabled upstreams with a usable credential that serve this model for this group, unordered; with `endpoint`, those
   * that serve it on that endpoint. [] = not callable.
   */
  serving(modelId: string, group: string, endpoint?: Endpoint): readonly Upstream[];
  /**
   * Endpoints on which this group can call the model, in the declared order. The list of models, `unsupported_endpoint`
   * and routing all use this. [] = not callable.
   */
  endpointsOf(modelId: string, group: string): readonly Endpoint[];
  /**
   * The model with the price that it is charged at; undefined if this caller may not use it (the key's models, the
   * group, at least one serving upstream). An alias returns the model that it stands for, with the real id.
   */
  callable(caller: Caller, modelId: string): Model | undefined;
  /**
   * All models that this caller may call, with the prices that they are charged at. Each alias is an entry of its own,
   * with `aliasOf`.
   */
  listed(caller: Pick<Caller, "models" | "group">): readonly Model[];
  /**
   * This upstream with this credential, even if disabled, because work that began there ends there. undefined = they
   * were removed.
   */
  placed(upstreamId: bigint, credentialId: bigint): PlacedUpstream | undefined;
  /** True if requests to the upstream may only name ids that are known to be the caller's. */
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
  /** Set on every model that generates text, because the hold of a request depends on it (docs/money.md). */
  readonly contextTokens: number | null;
  readonly maxOutputTokens: number | null;
  /** The price row in force; null = the model has no price, so requests are refused. */
  readonly price: PriceRow | null;
  /** Price rows written ahead, sorted by `fromMs`; absent = none. */
  readonly coming?: readonly PriceRow[] | undefined;
  /** Quirks of the model as data, such as the name of the output limit or of the system role. */
  readonly quirks: Readonly<Record<string, unknown>>;
  /**
   * The model of which this is a second name; everything else comes from that model. Absent = this is a model itself.
   */
  readonly aliasOf?: string | undefined;
  /** Models that respond in its place, in this order; absent = none. */
  readonly fallbacks?: readonly Fallback[] | undefined;
  /** The criterion by which upstreams of one priority are ordered; absent = by weight alone. */
  readonly order?: UpstreamOrder | undefined;
}

/** "latency" prefers upstreams whose streams begin soon; "cost" sends as much as possible to the cheapest. */
export const UPSTREAM_ORDERS = ["latency", "cost"] as const;
export type UpstreamOrder = (typeof UPSTREAM_ORDERS)[number];

/** The ways in which all upstreams of a model can fail before any part of a response was sent. */
export const FALLBACK_REASONS = ["unavailable", "rate_limited", "context_length", "refusal"] as const;
export type FallbackReason = (typeof FALLBACK_REASONS)[number];

/** Reasons of a fallback model that states none. */
export const DEFAULT_FALLBACK_REASONS: readonly FallbackReason[] = ["unavailable", "rate_limited"];

/** A model that responds in place of another one, if that failed in one of these ways. */
export interface Fallback {
  readonly model: string;
  readonly on: readonly FallbackReason[];
}

/** An immutable row of the price book. Rates are nanos per 1,000,000 tokens; undefined = no price of its own. */
export interface PriceRow {
  readonly id: bigint;
  readonly rates: TokenPrices;
  /** Factors and steps that change the rates, and prices of what is not counted in tokens; absent = none. */
  readonly dimensions?: PriceDimensions;
  readonly media: MediaRates;
  /**
   * The moment at which a row written ahead takes effect, in milliseconds since 1970; absent = it was in force at once.
   */
  readonly fromMs?: number;
}

/** Nanos for one image by resolution tier, and for one second of video by resolution; keys are in lower case. */
export interface MediaRates {
  readonly perImage?: Readonly<Record<string, bigint>>;
  readonly perSecond?: Readonly<Record<string, bigint>>;
}

export interface Upstream {
  readonly id: bigint;
  readonly name: string;
  readonly kind: string;
  /** The preset that the catalog names; null = none. */
  readonly preset: string | null;
  /** Without trailing slash. */
  readonly baseUrl: string;
  readonly protocols: readonly ProtocolName[];
  /** Protocols of those models that their kind asks in some protocols only, by our model id; see protocolsAt(). */
  readonly modelProtocols?: ReadonlyMap<string, readonly ProtocolName[]> | undefined;
  /** Our model id -> theirs. */
  readonly models: ReadonlyMap<string, string>;
  readonly groups: ReadonlySet<string> | null;
  /** Lower is tried first. */
  readonly priority: number;
  /** Share within one priority, above 0. */
  readonly weight: number;
  readonly maxConcurrency: number;
  /**
   * What the vendor signs or encrypts is valid at all upstreams of this name; null = only under the same credential.
   */
  readonly signer: string | null;
  /** The vendor's prices for text; null = the models' list prices. */
  readonly cost: UpstreamCost | null;
  /** Tiers in which the vendor may serve a request that asks for none. */
  readonly unaskedTiers: readonly string[];
  /** The region of the price tables in which it serves, if neither request nor response names one; null = none. */
  readonly region: string | null;
  /** Absent = none. */
  readonly options?: UpstreamOptions | undefined;
  /** Number of its credentials, including those out of service; its weight is divided by this. */
  readonly configuredCredentials: number;
  /** Ids of things in the vendor's account that every caller of this upstream may name. */
  readonly sharedIds: ReadonlySet<string>;
  readonly timeouts: Timeouts;
  /** True if it is probed from time to time while it gets no requests. */
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

/**
 * The prices at which an upstream's vendor bills us for text: its own prices by model, for other models the list price
 * times a factor.
 */
export interface UpstreamCost {
  /** Parts per million of the model's list price, before any group's factor. */
  readonly factorPpm: bigint;
  /** Keyed by our name of the model. */
  readonly prices: ReadonlyMap<string, Omit<PriceRow, "id">>;
}

export interface Credential {
  readonly id: bigint;
  readonly name: string;
  /** Decrypted; exists in memory only and is never logged. */
  readonly secret: string;
}

export interface Timeouts {
  readonly connectMs: number;
  readonly firstByteStreamMs: number;
  readonly firstBytePlainMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
}

/** Has the same keys as `settings` in the catalog file; the defaults and their reasons are in `settings.ts`. */
export interface Settings {
  /** Private CIDRs or host:port that the guarded client may reach. */
  readonly egressAllow: readonly string[];
  readonly usageRetentionDays: number;
  readonly refusalRetentionDays: number;
  readonly taskRetentionDays: number;
  readonly taskDeadlineMinutes: { readonly image: number; readonly video: number };
  readonly chargeEmptyAnswers: boolean;
  /** How long the caller of a stream waits for the first keep-alive, and for each one after that. */
  readonly keepalive: { readonly firstMs: number; readonly betweenMs: number };
  /** If the upstream runs tools: the most passes over a conversation that one request is charged for. */
  readonly maxPasses: number;
  /** Number of calls of such tools that a hold covers if the caller states no limit. */
  readonly holdCalls: number;
  /** Handling of vendors' tools without a price: the request is refused, or sent without them. */
  readonly unpriced: "refuse" | "drop";
  /**
   * How requests are matched to a conversation: by the client's name for it ("auto"), or by its beginning alone
   * ("anchor").
   */
  readonly affinity: "auto" | "anchor";
  /** A header, in lower case, in which clients name their conversation. */
  readonly affinityHeader: string | null;
  /**
   * Handling of ids that are not known to be the caller's; null = depends on how many accounts may use the upstream.
   */
  readonly foreignIds: "refuse" | "allow" | null;
  /** True if token counting is served. */
  readonly countTokens: boolean;
  /** The store to which results of tasks are copied, so that stable links serve them. */
  readonly mirror:
    | { readonly kind: "none" }
    | { readonly kind: "disk" }
    | {
        readonly kind: "s3";
        /** Without slash at the end. */
        readonly endpoint: string;
        readonly region: string;
        readonly bucket: string;
        /** Precedes every key; "" or with a trailing slash. */
        readonly prefix: string;
      };
  /** Limits of requests that wait for money or for a place at a saturated upstream. */
  readonly queues: {
    readonly balanceWaiting: number;
    readonly balanceWaitMs: number;
    readonly tasksPerModel: number;
  };
  /** Memory that the request bodies of one process may take together. */
  readonly bodyMemoryMb: number;
  /** host:port where /metrics is served instead of the main address; null = the main one. */
  readonly metricsAddress: string | null;
  /** Hash of the token with which remote monitors read /metrics; null = there is none. */
  readonly metricsToken: string | null;
  /** CIDRs of proxies whose `x-forwarded-for` is trusted. */
  readonly trustedProxies: readonly string[];
  /** Ways to sign in to the dashboard. */
  readonly signIn: {
    /** True if everyone who signs up gets an account of their own. */
    readonly selfRegistration: boolean;
    readonly oidc: readonly OidcProvider[];
    /** Passwords are refused. */
    readonly requireSso: boolean;
    /** Who needs a second factor: operators, and members of the accounts of these names. */
    readonly requireTwoFactor: { readonly operators: boolean; readonly accounts: readonly string[] };
    /** From where operators may come; null = from anywhere. */
    readonly operatorAddresses: readonly string[] | null;
  };
  /** The mail server; null = no e-mail is sent. */
  readonly smtp: SmtpSettings | null;
}

/** A mail server that takes the gateway's e-mail. */
export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** TLS after STARTTLS, which the server must offer; TLS from the first byte; or none at all. */
  readonly tls: "starttls" | "implicit" | "none";
  /** Null = the server asks for no password. */
  readonly user: string | null;
  /** The environment variable that holds the password. */
  readonly passwordName: string;
  /** Address and name that e-mail comes from. */
  readonly from: string;
  readonly fromName: string;
  readonly timeoutMs: number;
}

/** An identity provider that users can sign in with. */
export interface OidcProvider {
  /** Names the provider in links. */
  readonly id: string;
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** The environment variable that holds its client secret. */
  readonly clientSecretName: string;
  /** To ask for besides those of every provider. */
  readonly scopes: readonly string[];
  /** The claim that lists somebody's groups. */
  readonly groupsClaim: string;
  readonly domains: readonly MappedDomain[];
  readonly groups: readonly MappedGroup[];
}

type MappedRole = "viewer" | "member" | "owner";

/** What a verified address at a domain gives. */
export interface MappedDomain {
  readonly domain: string;
  readonly account: string;
  readonly role: MappedRole;
}

/** What a group at the provider gives: a role in an account, or one of operators. */
export interface MappedGroup {
  readonly group: string;
  readonly account: string | null;
  readonly role: MappedRole | null;
  readonly operatorRole: "read_only" | "billing" | "operator" | null;
}
