import { definedFields } from "../base/defined-fields.ts";
import type { FieldChanges } from "../base/json/field-changes.ts";

/** What an operator tunes of an upstream beyond how it is reached and chosen. What is absent changes nothing. */
export interface UpstreamOptions {
  /** Sent with every request, by their names in lower case. */
  readonly headers?: Readonly<Record<string, OptionSecret>>;
  /** URL of the proxy through which everything to the upstream goes. */
  readonly proxy?: OptionSecret;
  /** PEM file of the authorities that are trusted beside the public ones. */
  readonly caFile?: string;
  /** What is changed of the top-level fields of text requests. */
  readonly body?: FieldChanges;
  /** Betas that are left out of what the caller asks for. */
  readonly betas?: { readonly drop: readonly string[] };
  /** Whom text requests name as the end user where callers name none: an id of the account. */
  readonly endUser?: "account";
  /** Where in a cloud it is. */
  readonly place?: CloudPlace;
  /** How much it may be asked a minute. */
  readonly rates?: UpstreamRates;
}

/** What a vendor lets our account there ask for in a minute. Absent = as much as is asked. */
export interface UpstreamRates {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
}

/** What an address in a cloud is made of, and who gives out its access tokens. What is absent is the kind's own. */
export interface CloudPlace {
  /** Region, multi-region or "global". */
  readonly location?: string;
  readonly project?: string;
  /** Of the vendor's older interface, by which it is then asked. */
  readonly apiVersion?: string;
  /** Where access tokens are asked for, instead of at the vendor's own server. */
  readonly tokenUrl?: string;
  /** What access tokens are asked for, instead of the kind's own scope. */
  readonly tokenScope?: string;
}

/** A value that nobody is shown. */
export interface OptionSecret {
  readonly value: string;
  /** The environment variable the catalog file took it from, so that an export can name it. */
  readonly reference: string | null;
}

/** The options as they are stored: the secrets apart, as JSON that is sealed. null = there are none. */
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

/** Stands for a secret where it is not told. */
export const MASKED = "***";

/** A proxy's URL as it may be told: a password is masked, and a user without one, which is a token. */
export function maskedProxy(url: string): string {
  if (!hasSecret(url)) return url;
  const shown = new URL(url);
  if (shown.password === "") shown.username = MASKED;
  else shown.password = MASKED;
  return shown.href.replace(/\/$/, "");
}

/** True if a proxy's URL holds something that must not be told. */
export function hasSecret(url: string): boolean {
  const { username, password } = new URL(url);
  return username + password !== "";
}

/** Where the secrets of an upstream go: whoever changes that must know them. */
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

/** The values of the options that must not be told. */
export function optionSecrets({ headers = {}, proxy }: UpstreamOptions): readonly string[] {
  const values = Object.values(headers).map(({ value }) => value);
  if (proxy === undefined || !hasSecret(proxy.value)) return values;
  const { username, password } = new URL(proxy.value);
  const secret = password || username;
  return [...values, secret, decodeURIComponent(secret)];
}

/** What the options change of text requests; without values, which nobody is shown. */
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

/** Each secret of the options by its field in a catalog file. */
export function secretFields({ headers = {}, proxy }: UpstreamOptions = {}): Map<string, OptionSecret> {
  const fields = new Map(Object.entries(headers).map(([name, secret]) => [`headers.${name}`, secret]));
  if (proxy !== undefined) fields.set("proxy", proxy);
  return fields;
}

/** The options with another form of each secret. */
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

/** The options with the variables that the same secrets were taken from before, where none is named now. */
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

/** `headers.x-team (changed)` for each secret that is another one now. */
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
