import { definedFields } from "../base/defined-fields.ts";
import type { FieldChanges } from "../base/json/field-changes.ts";

/** Options of an upstream beside its address, credentials and routing. An absent option changes nothing. */
export interface UpstreamOptions {
  /** Headers that are sent with every request; names are in lower case. */
  readonly headers?: Readonly<Record<string, OptionSecret>>;
  /** URL of the proxy through which all requests to the upstream go. */
  readonly proxy?: OptionSecret;
  /** PEM file of certificate authorities that are trusted in addition to the public ones. */
  readonly caFile?: string;
  /** Changes to the top-level fields of text requests. */
  readonly body?: FieldChanges;
  /** Betas that are removed from those the caller asks for. */
  readonly betas?: { readonly drop: readonly string[] };
  /** The end user that text requests name if the caller names none: an id of the account. */
  readonly endUser?: "account";
  /** Place in a cloud. */
  readonly place?: CloudPlace;
  /** Limits of requests and tokens per minute. */
  readonly rates?: UpstreamRates;
}

/** Limits per minute that a vendor sets for our account. Absent = unlimited. */
export interface UpstreamRates {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
}

/** Parts of an address in a cloud, and the server that issues access tokens. Absent parts have the kind's defaults. */
export interface CloudPlace {
  /** Region, multi-region or "global". */
  readonly location?: string;
  readonly project?: string;
  /** Version of the vendor's older API; if it is set, that API is used. */
  readonly apiVersion?: string;
  /** URL that issues access tokens, instead of the vendor's own. */
  readonly tokenUrl?: string;
  /** Scope of access tokens, instead of the kind's own. */
  readonly tokenScope?: string;
}

/** A value that is shown to nobody. */
export interface OptionSecret {
  readonly value: string;
  /** The environment variable that the catalog file names for it, kept for exports. */
  readonly reference: string | null;
}

/** The options as stored. Secrets are separate, in sealed JSON; null = there are none. */
export interface StoredOptions {
  readonly plain: PlainOptions | null;
  readonly secrets: string | null;
}

export type PlainOptions = Omit<UpstreamOptions, SecretName>;
type SecretName = "headers" | "proxy";

export function storedOptions(options: UpstreamOptions | undefined): StoredOptions {
  const { headers, proxy, ...plain } = options ?? {};
  const hasSecrets = headers !== undefined || proxy !== undefined;
  return {
    plain: Object.keys(plain).length > 0 ? plain : null,
    secrets: hasSecrets ? JSON.stringify({ headers, proxy }) : null,
  };
}

export function readOptions({ plain, secrets }: StoredOptions): UpstreamOptions | undefined {
  if (plain === null && secrets === null) return undefined;
  return { ...plain, ...(JSON.parse(secrets ?? "{}") as Pick<UpstreamOptions, SecretName>) };
}

/** Replaces a secret wherever it is shown. */
export const MASKED = "***";

/** Masks the secrets of a proxy's URL: the password, or a user without one, because that is a token. */
export function maskedProxy(url: string): string {
  if (!hasSecret(url)) return url;
  const shown = new URL(url);
  if (shown.password === "") shown.username = MASKED;
  else shown.password = MASKED;
  return shown.href.replace(/\/$/, "");
}

/** True if a proxy's URL contains a secret. */
export function hasSecret(url: string): boolean {
  const { username, password } = new URL(url);
  return username + password !== "";
}

/** Lists the places to which an upstream's secrets are sent. Whoever changes them must know the secrets. */
export function destinationOf({
  baseUrl,
  options,
}: {
  readonly baseUrl: string;
  readonly options?: UpstreamOptions | undefined;
}): string {
  const { proxy, caFile, place } = options ?? {};
  const through = proxy === undefined ? "" : ` through ${maskedProxy(proxy.value)}`;
  const tokens = place?.tokenUrl === undefined ? "" : ` with access tokens of ${place.tokenUrl}`;
  return new URL(baseUrl).origin + through + (caFile === undefined ? "" : ` trusting ${caFile}`) + tokens;
}

/** Values of the options that must not be shown. */
export function optionSecrets({ headers = {}, proxy }: UpstreamOptions): readonly string[] {
  const values = Object.values(headers).map(({ value }) => value);
  if (proxy === undefined || !hasSecret(proxy.value)) return values;
  const { username, password } = new URL(proxy.value);
  const secret = password || username;
  return [...values, secret, decodeURIComponent(secret)];
}

/** Lists what the options change in text requests, without values, because these are shown to nobody. */
export function requestChanges({ headers = {}, body = {}, betas, endUser }: UpstreamOptions = {}): string[] {
  const { set = {}, default: ifAbsent = {}, remove = [] } = body;
  return [
    ...Object.keys(headers).map((name) => `header ${name}`),
    ...Object.keys(set).map((name) => `set ${name}`),
    ...Object.keys(ifAbsent).map((name) => `default ${name}`),
    ...remove.map((name) => `remove ${name}`),
    ...(betas?.drop ?? []).map((name) => `drop ${name}`),
    ...(endUser === undefined ? [] : [`end user ${endUser}`]),
  ];
}

/** All secrets of the options by their field in a catalog file. */
export function secretFields({ headers = {}, proxy }: UpstreamOptions = {}): Map<string, OptionSecret> {
  const fields = new Map(Object.entries(headers).map(([name, secret]) => [`headers.${name}`, secret]));
  if (proxy !== undefined) fields.set("proxy", proxy);
  return fields;
}

/** Returns the options with each secret in another form. */
export function withSecrets(
  options: UpstreamOptions,
  change: (secret: OptionSecret, field: string) => OptionSecret,
): UpstreamOptions {
  const { headers, proxy, ...plain } = options;
  const changed = Object.entries(headers ?? {}).map(
    ([name, secret]) => [name, change(secret, `headers.${name}`)] as const,
  );
  return definedFields({
    headers: headers && Object.fromEntries(changed),
    proxy: proxy && change(proxy, "proxy"),
    ...plain,
  });
}

/** Keeps the environment variables that equal secrets had before, unless new ones are named. */
export function keepReferences(
  options: UpstreamOptions | undefined,
  before: UpstreamOptions | undefined,
): UpstreamOptions | undefined {
  const known = secretFields(before);
  return (
    options &&
    withSecrets(options, (secret, field) => {
      const old = known.get(field);
      if (secret.reference !== null || old?.value !== secret.value) return secret;
      return { ...secret, reference: old.reference };
    })
  );
}

/** Lists `headers.x-team (changed)` for each secret that changed. */
export function changedSecrets(
  before: UpstreamOptions | undefined,
  after: UpstreamOptions | undefined,
): string[] {
  const known = secretFields(before);
  return [...secretFields(after)].flatMap(([field, { value, reference }]) => {
    const old = known.get(field);
    if (old === undefined) return [];
    if (old.value !== value) return [`${field} (changed)`];
    const isNamed = old.reference !== null && old.reference !== reference;
    return isNamed ? [`${field} (other variable, same value)`] : [];
  });
}
