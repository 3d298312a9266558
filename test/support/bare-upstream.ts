import type { Upstream } from "../../src/catalog/catalog.ts";

/** An upstream without limits, quirks or credentials, for tests that state what matters to them. */
export function bareUpstream(over: Partial<Upstream> = {}): Upstream {
  return {
    id: 1n,
    name: "vendor",
    kind: "anthropic",
    baseUrl: "http://127.0.0.1:1",
    protocols: [],
    models: new Map(),
    groups: null,
    priority: 0,
    weight: 1,
    maxConcurrency: 100,
    probe: false,
    preset: null,
    signer: null,
    unaskedTiers: [],
    region: null,
    cost: null,
    configuredCredentials: 1,
    timeouts: { connectMs: 1, firstByteStreamMs: 1, firstBytePlainMs: 1, idleMs: 1, totalMs: 1 },
    credentials: [],
    sharedIds: new Set<string>(),
    ...over,
  };
}
