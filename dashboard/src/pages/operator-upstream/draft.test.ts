import { describe, expect, it } from "vitest";
import type { Upstream } from "../../../../src/console/upstreams/contract.ts";
import { draftOf, termsOf } from "./draft.ts";

const UPSTREAM = {
  name: "main",
  kind: "openai",
  base_url: "https://api.vendor.example/v1",
  models: { text: "theirs" },
  protocols: null,
  priority: 0,
  weight: 1,
  limits: { concurrency: 10 },
  probe: false,
  preset: null,
  signer: null,
  unasked_tiers: ["priority"],
  region: "us",
  headers: { "x-team": "***" },
  proxy: "http://user:***@proxy.internal:3128",
  ca_file: null,
  body: { set: { store: false } },
  betas: { drop: ["beta-1", "beta-2"] },
  end_user: "account",
  location: "europe-west1",
  project: "acme-prod",
  api_version: null,
  token_url: "https://tokens.example",
  token_scope: null,
  cost: { factor: "0.8", prices: { text: { input: "1", output: "2" } } },
  timeouts: {},
  shared_ids: [],
};

describe("the form of an upstream", () => {
  it("keeps an upstream closed to every group, or open to all or some, and its options, where only its weight is changed", () => {
    const { cost, headers, proxy, body, betas, end_user, location, project, token_url } = UPSTREAM;
    for (const groups of [[], null, ["partners"]]) {
      const draft = draftOf({ ...UPSTREAM, groups } as unknown as Upstream);
      expect(termsOf({ ...draft, weight: "2" })).toMatchObject({
        groups,
        weight: 2,
        cost,
        headers,
        proxy,
        body,
        betas,
        end_user,
        location,
        project,
        token_url,
      });
    }
  });
});
