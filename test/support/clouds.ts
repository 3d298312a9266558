// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is what the catalog file holds.
import { generateKeyPairSync } from "node:crypto";
import { AZURE_CLIENT, AZURE_KEY, startAzure } from "../../sandbox/src/clouds/azure.ts";
import type { FakeCloud } from "../../sandbox/src/clouds/cloud-server.ts";
import { GOOGLE_ACCOUNT, GOOGLE_PROJECT, startGoogle } from "../../sandbox/src/clouds/google.ts";
import { startSandbox } from "./sandbox.ts";

const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
/** The fake verifies the service account's signatures with it. */
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

/** The fakes of Azure and Google, in front of one sandbox, and the fields by which upstreams use them. */
export interface Clouds {
  /** The sandbox's URL. */
  readonly url: string;
  readonly azure: FakeCloud;
  readonly google: FakeCloud;
  /** Fields of upstreams at Azure: by a key, by Entra ID, and by the older API. */
  readonly azureFields: Readonly<Record<"key" | "entra" | "older", readonly string[]>>;
  /** Fields of an upstream at Vertex AI; the environment has the service account. */
  vertexFields(location: string): readonly string[];
  /** A row for the same model at its vendor, as `direct-<name>`. */
  directRow(name: string, kind: string, model: string): CloudRow;
  stop(): Promise<void>;
}

export async function startClouds(): Promise<Clouds> {
  const sandbox = await startSandbox();
  const [azure, google] = await Promise.all([azureCloud(sandbox.url), googleCloud(sandbox.url)]);
  return {
    url: sandbox.url,
    azure,
    google,
    azureFields: {
      key: [AZURE_KEY_FIELD],
      entra: [AZURE_CLIENT_FIELD, `token_url: "${azure.url}"`],
      older: [AZURE_KEY_FIELD, "api_version: 2024-10-21"],
    },
    vertexFields: (location) => [
      `project: ${GOOGLE_PROJECT}`,
      `location: ${location}`,
      `token_url: "${google.url}"`,
      'credentials: [{ service_account: "${SERVICE_ACCOUNT}" }]',
    ],
    directRow: (name, kind, model) => ({
      name: `direct-${name}`,
      kind,
      url: kind.startsWith("openai") ? `${sandbox.url}/v1` : sandbox.url,
      models: { [`direct-${name}`]: model },
      more: ["api_key: good-key"],
    }),
    async stop() {
      await Promise.all([azure.close(), google.close(), sandbox.stop()]);
    },
  };
}
