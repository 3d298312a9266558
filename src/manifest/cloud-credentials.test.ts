// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is what the file holds.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import { openKeyHasher } from "../accounts/key-hasher.ts";
import { createSeals } from "../base/seal.ts";
import { readUpstreams } from "../catalog/upstreams-store.ts";
import { partsOf } from "../upstreams/credentials/credential-forms.ts";
import { applyManifest, type ManifestDeps } from "./apply.ts";
import { exportManifest } from "./export.ts";
import { parseManifest } from "./file/read.ts";
import { applyImport, planImport } from "./import.ts";

const SECRETS = {
  CLIENT_SECRET: "client-secret-canary-1",
  ACCOUNT: JSON.stringify(
    {
      type: "authorized_user",
      client_id: "client-1",
      client_secret: "canary-2",
      refresh_token: "canary-3",
    },
    null,
    1,
  ),
};
const FILE = `version: 1
models:
  - { id: text, context_tokens: 1000, max_output_tokens: 100, price: { input: 3, output: 15 } }
upstreams:
  - { name: azure, kind: azure, base_url: "https://acme.openai.azure.com", models: [text], api_version: 2024-10-21,
      credentials: [{ tenant_id: t-1, client_id: c-1, client_secret: "\${CLIENT_SECRET}" }, { api_key: plain-canary-3 }] }
  - { name: vertex, kind: vertex, project: acme, location: eu, models: [text], credentials: [{ service_account: "\${ACCOUNT}" }] }
`;

let test: TestDatabase;
let deps: ManifestDeps;
let exported: string;
beforeAll(async () => {
  test = await createTestDatabase();
  const seals = createSeals("a master key for tests of clouds");
  deps = { database: test.database, seals, hasher: await openKeyHasher(test.database, seals) };
  await applyManifest(deps, parseManifest(FILE, SECRETS));
  exported = await exportManifest(deps);
});
afterAll(() => test.drop());

const problemsOf = (upstream: string): string => {
  try {
    parseManifest(`version: 1\nupstreams:\n  - { name: u, models: [], ${upstream} }`, {});
    return "";
  } catch (error) {
    return (error as Error).message;
  }
};

describe("credentials of several fields in a catalog file", () => {
  it("are exported with their secrets as references, the rest as it is, and the base URL that follows from a location", () => {
    expect(exported).toContain("tenant_id: t-1");
    expect(exported).toContain("client_secret: ${CLIENT_SECRET}");
    expect(exported).toContain("api_key: ${UPSTREAM_AZURE_API_KEY_2}");
    expect(exported).toContain("service_account: ${ACCOUNT}");
    expect(exported).toContain("base_url: https://aiplatform.eu.rep.googleapis.com");
    expect(exported).not.toContain("canary");
  });

  it("change nothing when the export comes back, to those who have its secrets and to those who do not", async () => {
    const planned = await planImport(deps, { text: exported, prune: false });
    expect(planned.changes).toEqual([]);
  });

  it("keep a secret beside a field that changes", async () => {
    const text = exported.replace("tenant_id: t-1", "tenant_id: t-2");
    await test.database.transaction((tx) => applyImport(tx, deps, { text, prune: false }));
    const azure = (await readUpstreams(deps.database, deps.seals)).find(({ name }) => name === "azure");
    const credentials = azure?.credentials.map(({ secret, reference }) => [partsOf(secret), reference]);
    expect(credentials).toContainEqual([
      { tenant_id: "t-2", client_id: "c-1", client_secret: SECRETS.CLIENT_SECRET },
      "client_secret=CLIENT_SECRET",
    ]);
    expect(credentials).toContainEqual([{ api_key: "plain-canary-3" }, null]);
  });

  it("are not sent where they were not entered for", async () => {
    const moved = exported.replace(
      "    api_version:",
      "    token_url: https://elsewhere.example\n    api_version:",
    );
    expect(moved).not.toBe(exported);
    await expect(planImport(deps, { text: moved, prune: false })).rejects.toThrow(
      "entered for another server",
    );
  });

  it.each([
    [
      "kind: azure, base_url: https://a.example, credentials: [{ tenant_id: t, client_secret: s }]",
      "credentials[0].client_id: is required for a client secret of Entra ID",
    ],
    [
      "kind: azure, base_url: https://a.example, credentials: [{ from: elsewhere }]",
      "credentials[0].from: must be one of workload-identity, managed-identity, environment",
    ],
    [
      "kind: azure, base_url: https://a.example, credentials: [{ from: environment }, { from: elsewhere }]",
      "credentials[1].from: must be one of workload-identity, managed-identity, environment",
    ],
    [
      "kind: azure, base_url: https://a.example, api_key: k, credentials: [{ api_key: k }]",
      "credentials: can't be combined",
    ],
    [
      "kind: azure, base_url: https://a.example, api_key: k, location: us",
      "location: isn't used by kind azure",
    ],
    [
      "kind: openai, base_url: https://a.example, credentials: [{ api_key: k }]",
      "credentials: isn't used by kind openai",
    ],
    [
      "kind: vertex, location: us, credentials: [{ from: metadata-server }]",
      "project: is required for kind vertex",
    ],
    ["kind: vertex, project: p, location: us, api_key: k", "api_key: isn't a key of kind vertex"],
    ["kind: vertex, project: p, location: us", "credentials: is required for kind vertex"],
    ["kind: azure, api_key: k", "base_url: is required"],
  ])("are refused by the field at fault: %s", (upstream, problem) => {
    expect(problemsOf(upstream)).toContain(problem);
  });
});
