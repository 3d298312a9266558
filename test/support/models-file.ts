import { TEST_KEY } from "./gateway.ts";

export interface ModelsFileOptions {
  readonly models: readonly string[];
  readonly upstreams: readonly ModelsUpstream[];
  /** The keys of account `acme` as YAML list items; by default TEST_KEY alone. */
  readonly keys?: readonly string[];
  readonly settings?: string;
}

export interface ModelsUpstream {
  readonly name: string;
  readonly url: string;
  /** Omitted: all of them, under their own names. */
  readonly models?: readonly string[];
  readonly apiKey?: string;
  readonly priority?: number;
  readonly timeouts?: string;
  readonly maxConcurrency?: number;
  /** Omitted: all that the kind speaks. */
  readonly protocols?: readonly string[];
}

/**
 * A catalog file with many text models alike. A model for each case of a test keeps the cases apart: the
 * upstream knows by its name what to do, and the breaker that one case opens is nobody else's.
 */
export function modelsFile({ models, upstreams, keys, settings }: ModelsFileOptions): string {
  const record = (id: string): string =>
    `  - { id: "${id}", context_tokens: 200000, max_output_tokens: 32000, price: { input: 3, output: 15 } }`;
  const upstream = (each: ModelsUpstream): string =>
    [
      `  - name: ${each.name}`,
      `    kind: sandbox`,
      `    base_url: ${each.url}`,
      `    api_key: ${each.apiKey ?? "our-key-at-the-vendor"}`,
      `    models: ${JSON.stringify(each.models ?? models)}`,
      `    priority: ${each.priority ?? 0}`,
      ...(each.timeouts === undefined ? [] : [`    timeouts: ${each.timeouts}`]),
      ...(each.protocols === undefined ? [] : [`    protocols: ${JSON.stringify(each.protocols)}`]),
      ...(each.maxConcurrency === undefined ? [] : [`    limits: { concurrency: ${each.maxConcurrency} }`]),
    ].join("\n");
  return `version: 1
models:
${models.map(record).join("\n")}
upstreams:
${upstreams.map(upstream).join("\n")}
${settings === undefined ? "" : `settings: ${settings}\n`}accounts:
  - name: acme
    balance: 1000
    keys:
${(keys ?? [`{ name: test, key: ${TEST_KEY} }`]).map((key) => `      - ${key}`).join("\n")}
`;
}
