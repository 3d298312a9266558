import { generateKeyPairSync } from "node:crypto";
import { AZURE_CLIENT, AZURE_KEY, startAzure } from "../../sandbox/src/clouds/azure.ts";
import type { FakeCloud } from "../../sandbox/src/clouds/cloud-server.ts";
import { GOOGLE_ACCOUNT, GOOGLE_PROJECT, startGoogle } from "../../sandbox/src/clouds/google.ts";

const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
/** That the fake knows the service account by. */
export const GOOGLE_KEY = publicKey;
export const PRIVATE_KEY = privateKey.export({ type: "pkcs8", format: "pem" }).toString();

export function azureCloud(sandbox: string, tokenSeconds?: number): Promise<FakeCloud> {
  return startAzure({ sandbox, tokenSeconds, publicKey });
}

export function googleCloud(sandbox: string, tokenSeconds?: number): Promise<FakeCloud> {
  return startGoogle({ sandbox, tokenSeconds, publicKey });
}

/** The key file of a service account that the fake knows. */
export function serviceAccount(over: object = {}): string {
  return JSON.stringify({
    type: "service_account",
    project_id: GOOGLE_PROJECT,
    private_key: PRIVATE_KEY,
    token_uri: "https://oauth2.googleapis.com/token",
    ...GOOGLE_ACCOUNT,
    ...over,
  });
}

export interface CloudRow {
  readonly name: string;
  readonly kind: string;
  readonly url: string;
  /** Ours: theirs. */
  readonly models: Readonly<Record<string, string>>;
  /** Further YAML, one field a line. */
  readonly more: readonly string[];
}

/** Rows of upstreams for a catalog file. */
export function cloudRows(rows: readonly CloudRow[]): string {
  return rows
    .map(
      ({ name, kind, url, models, more }) =>
        `  - { name: ${name}, kind: ${kind}, base_url: "${url}", models: ${JSON.stringify(models)}, ${more.join(", ")} }`,
    )
    .join("\n");
}

export const AZURE_KEY_FIELD = `api_key: ${AZURE_KEY}`;
export const AZURE_CLIENT_FIELD = `credentials: [${JSON.stringify(AZURE_CLIENT)}]`;
