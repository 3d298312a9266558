import type { Upstream, UpstreamTerms } from "../../../../src/console/upstreams/contract.ts";

type CostPrices = NonNullable<Upstream["cost"]>["prices"];

export const TIMEOUT_NAMES = [
  "connect_ms",
  "first_byte_stream_ms",
  "first_byte_plain_ms",
  "idle_ms",
  "total_ms",
] as const;

/** Where in a cloud an upstream is. */
export const PLACE_NAMES = ["location", "project", "api_version", "token_url", "token_scope"] as const;

/** An upstream as it is being typed. */
export interface UpstreamDraft {
  readonly name: string;
  readonly kind: string;
  /** "" = none. */
  readonly preset: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The fields of a credential, for kinds of clouds; {} = none is written. */
  readonly credential: Readonly<Record<string, string>>;
  /** "" = none. */
  readonly place: Readonly<Record<(typeof PLACE_NAMES)[number], string>>;
  readonly models: readonly (readonly [ours: string, theirs: string])[];
  readonly protocols: readonly string[];
  readonly groups: readonly string[];
  /** Open to no group at all, which no ticks can say. */
  readonly closed: boolean;
  readonly priority: string;
  readonly weight: string;
  readonly maxConcurrency: string;
  /** "" = any number. */
  readonly requestsPerMinute: string;
  /** "" = any number. */
  readonly tokensPerMinute: string;
  /** One a line. */
  readonly sharedIds: string;
  readonly probe: boolean;
  /** "" = none. */
  readonly signer: string;
  /** On the list price; "" = 1. */
  readonly costFactor: string;
  /** The vendor's own prices as JSON, which this form keeps as they are. */
  readonly costPrices: string;
  /** One a line. */
  readonly unaskedTiers: string;
  /** "" = none. */
  readonly region: string;
  /** `name: value`, one a line. */
  readonly headers: string;
  /** "" = none. */
  readonly proxy: string;
  /** "" = none. */
  readonly caFile: string;
  /** JSON; "" = none. */
  readonly body: string;
  /** One a line. */
  readonly droppedBetas: string;
  /** The account is named where a caller names no end user. */
  readonly namesAccount: boolean;
  readonly timeouts: Readonly<Record<(typeof TIMEOUT_NAMES)[number], string>>;
}

const NO_TIMEOUTS = {
  connect_ms: "",
  first_byte_stream_ms: "",
  first_byte_plain_ms: "",
  idle_ms: "",
  total_ms: "",
};

const NO_PLACE = { location: "", project: "", api_version: "", token_url: "", token_scope: "" };

export const EMPTY_DRAFT: UpstreamDraft = {
  name: "",
  kind: "openai-compatible",
  preset: "",
  baseUrl: "",
  apiKey: "",
  credential: {},
  place: NO_PLACE,
  models: [["", ""]],
  protocols: [],
  groups: [],
  closed: false,
  priority: "0",
  weight: "1",
  maxConcurrency: "10000",
  requestsPerMinute: "",
  tokensPerMinute: "",
  sharedIds: "",
  probe: false,
  signer: "",
  costFactor: "",
  costPrices: "{}",
  unaskedTiers: "",
  region: "",
  headers: "",
  proxy: "",
  caFile: "",
  body: "",
  droppedBetas: "",
  namesAccount: false,
  timeouts: NO_TIMEOUTS,
};

export function draftOf(upstream: Upstream): UpstreamDraft {
  const given = Object.entries(upstream.timeouts).map(([name, value]) => [name, String(value)]);
  return {
    name: upstream.name,
    kind: upstream.kind,
    preset: upstream.preset ?? "",
    baseUrl: upstream.base_url,
    apiKey: "",
    credential: {},
    place: {
      location: upstream.location ?? "",
      project: upstream.project ?? "",
      api_version: upstream.api_version ?? "",
      token_url: upstream.token_url ?? "",
      token_scope: upstream.token_scope ?? "",
    },
    models: Object.entries(upstream.models),
    protocols: upstream.protocols ?? [],
    groups: upstream.groups ?? [],
    closed: upstream.groups?.length === 0,
    priority: String(upstream.priority),
    weight: String(upstream.weight),
    maxConcurrency: String(upstream.limits.concurrency ?? EMPTY_DRAFT.maxConcurrency),
    requestsPerMinute: String(upstream.limits.requests_per_minute ?? ""),
    tokensPerMinute: String(upstream.limits.tokens_per_minute ?? ""),
    probe: upstream.probe,
    signer: upstream.signer ?? "",
    costFactor: upstream.cost?.factor ?? "",
    costPrices: JSON.stringify(upstream.cost?.prices ?? {}),
    unaskedTiers: upstream.unasked_tiers.join("\n"),
    region: upstream.region ?? "",
    headers: Object.entries(upstream.headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join("\n"),
    proxy: upstream.proxy ?? "",
    caFile: upstream.ca_file ?? "",
    body: upstream.body === null ? "" : JSON.stringify(upstream.body, null, 2),
    namesAccount: upstream.end_user === "account",
    droppedBetas: upstream.betas?.drop.join("\n") ?? "",
    sharedIds: upstream.shared_ids.join("\n"),
    timeouts: { ...NO_TIMEOUTS, ...Object.fromEntries(given) },
  };
}

/** What is sent; a name of theirs left empty is ours. What is no number is left to the gateway to refuse. */
export function termsOf(draft: UpstreamDraft): UpstreamTerms {
  const models = draft.models.filter(([ours]) => ours.trim() !== "");
  const timeouts = TIMEOUT_NAMES.filter((name) => draft.timeouts[name] !== "");
  return {
    kind: draft.kind,
    preset: draft.preset || null,
    ...(draft.baseUrl.trim() === "" ? {} : { base_url: draft.baseUrl.trim() }),
    models: Object.fromEntries(models.map(([ours, theirs]) => [ours.trim(), theirs.trim() || ours.trim()])),
    protocols: draft.protocols.length === 0 ? null : [...draft.protocols],
    groups: draft.groups.length === 0 && !draft.closed ? null : [...draft.groups],
    priority: Number(draft.priority),
    weight: Number(draft.weight),
    limits: limitsOf(draft),
    probe: draft.probe,
    signer: draft.signer.trim() || null,
    cost: { factor: draft.costFactor.trim() || "1", prices: JSON.parse(draft.costPrices) as CostPrices },
    unasked_tiers: draft.unaskedTiers.split(/\s+/).filter((tier) => tier !== ""),
    region: draft.region.trim() || null,
    headers: headersOf(draft),
    proxy: draft.proxy.trim() || null,
    ca_file: draft.caFile.trim() || null,
    body: changesOf(draft),
    betas: betasOf(draft),
    end_user: draft.namesAccount ? "account" : null,
    location: draft.place.location.trim() || null,
    project: draft.place.project.trim() || null,
    api_version: draft.place.api_version.trim() || null,
    token_url: draft.place.token_url.trim() || null,
    token_scope: draft.place.token_scope.trim() || null,
    shared_ids: draft.sharedIds.split(/\s+/).filter((id) => id !== ""),
    timeouts: Object.fromEntries(timeouts.map((name) => [name, Number(draft.timeouts[name])])),
    ...(draft.apiKey.trim() === "" ? {} : { api_keys: [draft.apiKey.trim()] }),
    ...(written(draft.credential) === undefined ? {} : { credentials: [written(draft.credential) ?? {}] }),
  };
}

/** The fields that are filled in; undefined = none are. */
export function written(parts: Readonly<Record<string, string>>): Record<string, string> | undefined {
  const filled = Object.entries(parts).filter(([, value]) => value.trim() !== "");
  return filled.length === 0 ? undefined : Object.fromEntries(filled);
}

/** What is no JSON is left to the gateway to refuse. */
function changesOf({ body }: UpstreamDraft): Upstream["body"] {
  if (body.trim() === "") return null;
  try {
    return JSON.parse(body) as Upstream["body"];
  } catch {
    return body as unknown as Upstream["body"];
  }
}

function limitsOf({ maxConcurrency, requestsPerMinute, tokensPerMinute }: UpstreamDraft): Upstream["limits"] {
  const limits: Record<string, number> = { concurrency: Number(maxConcurrency) };
  if (requestsPerMinute.trim() !== "") limits["requests_per_minute"] = Number(requestsPerMinute);
  if (tokensPerMinute.trim() !== "") limits["tokens_per_minute"] = Number(tokensPerMinute);
  return limits;
}

function betasOf({ droppedBetas }: UpstreamDraft): Upstream["betas"] {
  const drop = droppedBetas.split(/\s+/).filter((name) => name !== "");
  return drop.length === 0 ? null : { drop };
}

/** Each line up to its first colon, and behind it; what is no header is left to the gateway to refuse. */
function headersOf({ headers }: UpstreamDraft): Record<string, string> {
  const lines = headers.split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const [name = "", ...value] = line.split(":");
      return [name.trim(), value.join(":").trim()];
    }),
  );
}

/** Whether the address leads to another server than the stored credentials belong to. */
export function isMoved(draft: UpstreamDraft, before: Upstream | undefined): boolean {
  if (before === undefined || before.credentials.length === 0 || !URL.canParse(draft.baseUrl)) return false;
  const { proxy, ca_file, token_url } = termsOf(draft);
  const isSame =
    proxy === before.proxy && ca_file === before.ca_file && token_url === (before.token_url ?? null);
  return !isSame || new URL(draft.baseUrl).origin !== new URL(before.base_url).origin;
}
