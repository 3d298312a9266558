/** A credential of kind `ark`: the key that makes videos and, for assets, a signing pair. */
export interface ArkCredential {
  readonly apiKey: string;
  /** null = this credential keeps no assets. */
  readonly signing: ArkSigning | null;
}

export interface ArkSigning {
  readonly accessKey: string;
  readonly secretKey: string;
  /** The group that new assets go to; null = one named "faregate", made where there is none. */
  readonly group: string | null;
  /** Must be the API key's own project. */
  readonly project: string;
  /** null = as the base URL says. */
  readonly region: string | null;
  /** Address of the asset service; null = as the base URL says. */
  readonly baseUrl: string | null;
}

/**
 * Reads `<api key>;access_key=...;secret_key=...;group=...;project=...;region=...;assets=...`, of which all but
 * the first may be left out. Secrets end in `=` now and then, so only the first one of a part separates.
 */
export function readArkCredential(secret: string): ArkCredential {
  const [apiKey, fields] = partsIn(secret);
  const field = (name: string): string | null => fields.get(name) || null;
  const accessKey = field("access_key");
  const secretKey = field("secret_key");
  if (accessKey === null || secretKey === null) return { apiKey, signing: null };
  return {
    apiKey,
    signing: {
      accessKey,
      secretKey,
      group: field("group"),
      project: field("project") ?? "default",
      region: field("region"),
      baseUrl: field("assets"),
    },
  };
}

function partsIn(secret: string): [apiKey: string, fields: ReadonlyMap<string, string>] {
  const [apiKey = "", ...parts] = secret.split(";");
  const fields = parts.map((part): [string, string] => {
    const at = part.indexOf("=");
    return [part.slice(0, Math.max(at, 0)), part.slice(at + 1)];
  });
  return [apiKey, new Map(fields)];
}

/** Returns the fault of a credential as written: half of a signing pair can't sign. */
export function arkKeyProblem(secret: string): string | undefined {
  const [, fields] = partsIn(secret);
  const missing = ["access_key", "secret_key"].filter((name) => !fields.get(name));
  const [one] = missing;
  return missing.length === 1 ? `has no ${one} beside its other half; write both, or none` : undefined;
}

/** Its secrets, and what of the rest names the operator's own account. */
export function heldInArkCredential(secret: string) {
  const { apiKey, signing } = readArkCredential(secret);
  const names = [signing?.group, signing?.project === "default" ? null : signing?.project];
  return {
    secrets: [secret, apiKey, signing?.accessKey ?? "", signing?.secretKey ?? ""],
    urls: [signing?.baseUrl ?? ""],
    names: names.flatMap((name) => name || []),
  };
}
