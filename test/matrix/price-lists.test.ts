import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Model, PriceDifferences, PriceHistory } from "../../src/console/catalog/contract.ts";
import { BOOTSTRAP_PASSWORD, type SignedIn, signIn } from "../support/console.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { runShort } from "../support/short-command.ts";
import { waitFor } from "../support/wait.ts";

const LIMITS = "context_tokens: 1000000, max_output_tokens: 32000";
const STEP = "{ above: 272000, input: 5, output: 22.5, cache_read: 0.5 }";
const CALLS = "{ web_search: 0.01, file_search: 0.0025, lookup: 0.5 }";

/** Vendors that nobody asks here: their upstreams are disabled. */
const CATALOG = `version: 1
groups: [{ name: default, factor: 1 }]
models:
  - { id: cheap, ${LIMITS}, price: { input: 2, output: 15, cache_read: 0.25, steps: [${STEP}], calls: ${CALLS} } }
  - { id: same, ${LIMITS}, price: { input: 2.5, output: 15, cache_read: 0.25, steps: [${STEP}], calls: ${CALLS} } }
  - { id: odd, ${LIMITS}, price: { input: 2, output: 8 } }
  - { id: own-cache, ${LIMITS}, price: { input: 2.5, output: 15, cache_read: 0.25, cache_write: 3, steps: [${STEP.replace("}", ", cache_write: 6 }")}] } }
  - { id: home-made, ${LIMITS}, price: { input: 1, output: 1 } }
  - { id: usual, alias_of: same }
  - { id: twice, ${LIMITS}, price: { input: 1, output: 1 } }
upstreams:
  - name: openai
    kind: openai
    base_url: https://api.openai.com/v1
    api_key: key-for-nobody-1
    disabled: true
    models: { cheap: gpt-5.4, same: gpt-5.4-2026-03-05, own-cache: gpt-5.4, twice: gpt-4o }
  - name: perplexity
    kind: openai-compatible
    base_url: https://api.perplexity.ai
    api_key: key-for-nobody-2
    disabled: true
    models: { odd: sonar-deep-research }
  - name: groq
    kind: openai-compatible
    base_url: https://api.groq.com/openai/v1
    api_key: key-for-nobody-3
    disabled: true
    models: { twice: llama-3.3-70b-versatile }
  - name: home
    kind: openai-compatible
    base_url: http://127.0.0.1:9/v1
    disabled: true
    models: [home-made]
`;

/** Prices that nobody has, in LiteLLM's format. */
const LITELLM = `{
  "sample_spec": { "litellm_provider": "one of many", "mode": "one of some" },
  "gpt-4o": { "litellm_provider": "openai", "mode": "chat", "input_cost_per_token": 2.5e-06, "output_cost_per_token": 1e-05,
    "cache_read_input_token_cost": 1.25e-06, "input_cost_per_token_batches": 1.25e-06, "output_cost_per_token_batches": 5e-06 },
  "gpt-5.4": { "litellm_provider": "openai", "mode": "chat", "input_cost_per_token": 2.0000000000000001e-06,
    "output_cost_per_token": 1.5e-05 }
}`;

let gateway: TestGateway;
let operator: SignedIn;

beforeAll(async () => {
  gateway = await startGateway({
    catalog: CATALOG,
    env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD },
  });
  operator = await signIn(gateway);
});
afterAll(() => gateway?.clean());

async function prices(...options: string[]) {
  const { code, stdout, stderr } = await gateway.run("prices", ...options);
  // The tests' database runs without fsync, and every command says so.
  return { code, stdout, stderr: stderr.replace(/^\{.*"fsync is off.*\n/gm, "") };
}

async function priceOf(model: string) {
  return ((await operator.get(`/operator/models/${model}`)).body as Model).price;
}

describe("faregate prices", () => {
  it("says what the bundled list has otherwise, with source and date, and changes nothing", async () => {
    const { code, stdout, stderr } = await prices("--models", "cheap,same,home-made");
    expect([code, stderr]).toEqual([1, ""]);
    const [head, row, ...rest] = stdout.trimEnd().split("\n");
    expect(head?.split(/ {2,}/)).toEqual(["MODEL", "PRICE", "OURS", "LISTED", "SOURCE"]);
    expect(row?.split(/ {2,}/)).toEqual([
      "cheap",
      "input",
      "2",
      "2.5",
      expect.stringMatching(/^openai gpt-5\.4, genai-prices [\d.]+ \(\d{4}-\d\d-\d\d\)$/),
    ]);
    expect(rest).toEqual([
      "Not listed: home-made.",
      expect.stringMatching(/^1 difference in 1 model; 2 models compared with genai-prices/),
      expect.stringMatching(
        /^Nothing was changed\. To set the listed prices: .*prices --models cheap,same,home-made --apply$/,
      ),
    ]);
    expect(await priceOf("cheap")).toMatchObject({ input: "2" });
  });

  it.each(["same", "usual"])(
    "ends with 0 where nothing differs, for a model and its alias: %s",
    async (id) => {
      expect(await prices("--models", id)).toEqual({
        code: 0,
        stdout: expect.stringMatching(/^No differences: 1 model compared with genai-prices/),
        stderr: "",
      });
    },
  );

  it("names a model whose price no table can say, and one whose own prices don't fit the listed ones", async () => {
    const { code, stdout } = await prices("--models", "odd,own-cache", "--json", "--apply");
    const { not_applicable, applied } = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(not_applicable).toEqual([
      expect.objectContaining({
        model: "odd",
        reason: "it is priced by output_citation_mtok",
      }),
      expect.objectContaining({
        model: "own-cache",
        reason: expect.stringContaining("cache_write is missing"),
      }),
    ]);
    expect(applied).toEqual([]);
  });

  it("chooses no vendor by itself where two list different prices", async () => {
    const refused = await prices("--models", "twice", "--apply");
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain("openai and groq list different prices; choose with --vendor");
    expect(await priceOf("twice")).toMatchObject({ input: "1" });
    const { code, stdout } = await prices("--models", "twice", "--vendor", "openai", "--json");
    expect(code).toBe(1);
    const misspelt = await prices("--models", "twice", "--vendor", "opneai");
    expect([misspelt.code, misspelt.stderr]).toEqual([
      3,
      expect.stringMatching(/vendor "opneai"; they have those of: groq, openai/),
    ]);
    expect(
      JSON.parse(stdout).differences.map(({ price, theirs }: Record<string, string>) => [price, theirs]),
    ).toEqual([
      ["input", "2.5"],
      ["output", "10"],
      ["cache_read", "1.25"],
      // The tools of the vendor cost what the list says without being set.
    ]);
  });

  it("sets a listed price as a new row of the price book, with its source in the audit log", async () => {
    const { code, stdout } = await prices("--models", "cheap", "--apply");
    expect(code).toBe(0);
    expect(stdout).toContain("Applied: cheap.");
    const price = await waitFor("the gateway to follow", async () => {
      const found = await priceOf("cheap");
      return found?.input === "2.5" ? found : undefined;
    });
    // What the list does not name stays.
    expect(price.calls).toMatchObject({ lookup: "0.5" });
    const history = (await operator.get("/operator/models/cheap/prices")).body as PriceHistory;
    expect(history.data.map(({ price: { input }, in_force }) => [input, in_force])).toEqual([
      ["2.5", true],
      ["2", false],
    ]);
    const [entry] = (await operator.get("/operator/audit?action=model.update")).body.data;
    expect(entry).toMatchObject({
      subject: "cheap",
      actor: expect.stringMatching(/^cli \(/),
      before: { price: { input: 2 } },
      after: {
        price: { input: 2.5 },
        price_source: { list: expect.stringContaining("genai-prices"), vendor: "openai", model: "gpt-5.4" },
      },
    });
    expect((await prices("--models", "cheap")).code).toBe(0);
  });

  it("compares with a file in LiteLLM's format, digit by digit", async () => {
    const file = join(gateway.dataDir, "model_prices.json");
    await writeFile(file, LITELLM);
    const { code, stdout } = await prices("--file", file, "--models", "twice,same", "--json");
    const { list, differences, not_applicable, left_out } = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(list).toEqual({ name: "model_prices.json", date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) });
    expect(
      differences.map(({ model, price, ours, theirs }: Record<string, string>) => [
        model,
        price,
        ours,
        theirs,
      ]),
    ).toEqual([
      ["twice", "input", "1", "2.5"],
      ["twice", "output", "1", "10"],
      ["twice", "cache_read", null, "1.25"],
    ]);
    expect(left_out).toEqual([
      expect.objectContaining({ model: "twice", what: "tiers.batch: the list has no cache_read for it" }),
    ]);
    // The list has another name for it, which is no alias there.
    expect(not_applicable).toEqual([]);
    const inexact = await prices("--file", file, "--models", "own-cache");
    expect(inexact.stdout).toContain(
      "input_cost_per_token is 2.0000000000000001e-06, which has too many decimal places",
    );
  });

  it.each([
    [["--file", "nowhere.json"], 3, /nowhere\.json: no such file; check the path/],
    [["--models", "nothing"], 3, /there is no model "nothing"/],
  ])("refuses %s in one sentence", async (options, code, sentence) => {
    const refused = await prices(...options);
    expect([refused.code, refused.stdout]).toEqual([code, ""]);
    expect(refused.stderr).toMatch(sentence);
    expect(refused.stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  it.each([
    [["--models", " , "], /--models takes model ids/],
    [["--modles", "a"], /did you mean --models\?/],
    [["now"], /unexpected argument "now"/],
  ])("is misused with %s", async (options, sentence) => {
    expect(await runShort({}, "prices", ...options)).toEqual({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(sentence),
    });
  });

  it("refuses a file that is no list, and says why", async () => {
    const file = join(gateway.dataDir, "broken.json");
    await writeFile(file, "{");
    expect(await prices("--file", file)).toEqual({
      code: 3,
      stdout: "",
      stderr: `faregate: ${file} is not valid JSON\n`,
    });
  });
});

describe("differences with the public list in the console", () => {
  const differences = async () =>
    (await operator.get("/operator/price-differences")).body as PriceDifferences;

  it("are those of the command, accepted one by one, once, and as they were shown", async () => {
    const shown = await differences();
    expect(shown.unlisted).toEqual(["home-made"]);
    const row = shown.data.find(({ model, vendor }) => model === "twice" && vendor === "openai");
    expect(row).toMatchObject({ upstreams: ["openai"], listed_as: "gpt-4o", problem: null });
    const { vendor, listed_as, version } = row as PriceDifferences["data"][number];
    const body = { vendor, listed_as, version };
    const path = "/operator/models/twice/listed-price";
    expect((await operator.post(path, { ...body, version: "another" })).status).toBe(409);
    expect(await priceOf("twice")).toMatchObject({ input: "1" });
    const accepted = await operator.post(path, body);
    expect([accepted.status, accepted.body.price.input]).toEqual([200, "2.5"]);
    expect((await operator.post(path, body)).status).toBe(409);
    const [entry] = (await operator.get("/operator/audit?action=model.update")).body.data;
    expect(entry).toMatchObject({
      subject: "twice",
      after: { price_source: { vendor: "openai", model: "gpt-4o" } },
    });
    const left = (await differences()).data.filter(({ model }) => model === "twice");
    expect(left.map(({ vendor: of }) => of)).toEqual(["groq"]);
  });

  it("say why one can't be accepted, and refuse it", async () => {
    const row = (await differences()).data.find(({ model }) => model === "odd");
    expect(row).toMatchObject({ differences: [], problem: expect.stringContaining("output_citation_mtok") });
    const { vendor, listed_as, version } = row as PriceDifferences["data"][number];
    const refused = await operator.post("/operator/models/odd/listed-price", { vendor, listed_as, version });
    expect(refused).toMatchObject({ status: 400 });
    expect(
      (await operator.post("/operator/models/nothing/listed-price", { vendor, listed_as, version })).status,
    ).toBe(404);
  });
});
