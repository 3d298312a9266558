import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { type IssuingVendor, issuingVendor, keyOf } from "../support/issuing-vendor.ts";
import type { TextProtocol } from "../support/text-caller.ts";
import { waitFor } from "../support/wait.ts";
import { ask, codeIn, type Reply } from "../support/world.ts";

/** A small request of each protocol. */
const ENDPOINTS: Readonly<Record<TextProtocol, { readonly path: string; readonly body: object }>> = {
  "chat-completions": {
    path: "/v1/chat/completions",
    body: { model: "text", max_tokens: 10, messages: [{ role: "user", content: "x" }] },
  },
  responses: { path: "/v1/responses", body: { model: "text", max_output_tokens: 16, input: "x" } },
  messages: {
    path: "/v1/messages",
    body: { model: "text", max_tokens: 10, messages: [{ role: "user", content: "x" }] },
  },
  "generate-content": {
    path: "/v1beta/models/text:generateContent",
    body: { contents: [{ role: "user", parts: [{ text: "x" }] }], generationConfig: { maxOutputTokens: 10 } },
  },
};

type Wire = Record<string, unknown>;

/** A body with the id at a path of the tables, such as `tools[].container.file_ids[]`. */
function bodyWith(protocol: TextProtocol, path: string, id: string): Wire {
  const inner = path.split(".").reduceRight<unknown>((value, step) => {
    const key = step.replace("[]", "");
    const held = step.endsWith("[]") ? [value] : value;
    return { [key === "*" ? "any_name" : key]: held };
  }, id);
  return { ...ENDPOINTS[protocol].body, ...(inner as Wire) };
}

/** Mixed spellings, and most of what tools hold in the places of nested ones. */
const MORE_OF_THE_SAME =
  /_[^A-Z]*[A-Z]|[A-Z].*_|^(tools\[\]\.tools|input\[\]\.tools)(?!.*(vector_store_ids|container$))/;

const ROWS = Object.entries(ENDPOINTS).flatMap(([name]) => {
  const protocol = name as TextProtocol;
  return PROTOCOLS[protocol].forward.references.rows
    .filter(({ path }) => !MORE_OF_THE_SAME.test(path))
    .map((row) => ({ protocol, row, path: row.path }));
});

/** What the tables must know at the least; all of their rows are tried below. */
const KNOWN: Readonly<Record<TextProtocol, readonly string[]>> = {
  responses: [
    "previous_response_id",
    "conversation",
    "conversation.id",
    "prompt.id",
    "prompt.variables.*.file_id",
    "input[].id",
    "input[].content[].file_id",
    "input[].output[].file_id",
    "input[].container_id",
    "tools[].container",
    "tools[].container.file_ids[]",
    "tools[].vector_store_ids[]",
    "tools[].tools[].vector_store_ids[]",
    "input[].tools[].vector_store_ids[]",
    "tools[].environment.container_id",
    "tools[].environment.skills[].skill_id",
    "tools[].tunnel_id",
    "tools[].input_image_mask.file_id",
  ],
  "chat-completions": ["messages[].audio.id", "messages[].content[].file.file_id"],
  messages: [
    "container",
    "container.id",
    "container.skills[].skill_id",
    "thread.previous_message_id",
    "messages[].content[].file_id",
    "messages[].content[].source.file_id",
    "messages[].content[].content[].source.file_id",
    "messages[].content[].source.content[].source.file_id",
  ],
  "generate-content": [
    "cachedContent",
    "cached_content",
    "contents[].parts[].fileData.fileUri",
    "contents[].parts[].file_data.file_uri",
    "tools[].fileSearch.fileSearchStoreNames[]",
  ],
};

const OTHER = "other-key-0123456789abcdef";
const POOR = "poor-key-0123456789abcdef";
const SHARED = "skill_shared";

function catalog(urls: readonly string[], settings: string): string {
  const upstream = (url: string, index: number): string => `  - name: vendor-${index}
    kind: sandbox
    base_url: "${url}"
    api_keys: [key-${index}-a, key-${index}-b]
    models: [text]
${index === 1 ? `    shared_ids: [${SHARED}]\n` : ""}`;
  return `version: 1
groups: [{ name: default, factor: 1 }]
models:
  - { id: text, endpoints: [oa, oa-response, an, ge], context_tokens: 200000, max_output_tokens: 1000, price: { input: 3, output: 15, calls: { file_search: 0.01, retrieval: 0.01 } } }
upstreams:
${urls.map(upstream).join("")}
settings: ${settings}
accounts:
  - { name: acme, group: default, balance: 10000, keys: [{ name: main, key: ${TEST_KEY} }] }
  - { name: other, group: default, balance: 10000, keys: [{ name: main, key: ${OTHER} }] }
  - { name: poor, group: default, balance: 0.1, keys: [{ name: main, key: ${POOR} }] }
`;
}

describe("references to what vendors keep", () => {
  let vendors: readonly IssuingVendor[];
  let gateway: TestGateway;
  /** An id that the other account was given. */
  let theirs: string;
  /** Ids of this account, each from another place, with the key of that place. */
  const own = new Map<TextProtocol, [id: string, place: string][]>();
  const used = new Map<string, number>();
  beforeAll(async () => {
    // Like ids of skills, so that every row takes them for ids.
    vendors = await Promise.all(["skill_a", "skill_b"].map(issuingVendor));
    gateway = await startGateway({ catalog: catalog(urls(), "{}") });
    theirs = (await issue("responses", {}, OTHER)).keys().next().value ?? "";
    for (const protocol of ["responses", "chat-completions", "messages"] as const) {
      const places = new Map<string, string>();
      while (places.size < 3) {
        const [[id, place] = ["", ""]] = await issue(protocol, keptBy(protocol));
        places.set(place, id);
      }
      own.set(
        protocol,
        [...places].map(([place, id]) => [id, place]),
      );
    }
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await Promise.all(vendors?.map(({ vendor }) => vendor.close()) ?? []);
  });

  const urls = (): string[] => vendors.map(({ vendor }) => vendor.url);
  /** Each request is a conversation of its own, so that ids alone decide where it goes. */
  let asked = 0;
  const send = (protocol: TextProtocol, body: object, key = TEST_KEY): Promise<Reply> => {
    asked += 1;
    return ask(gateway.url, ENDPOINTS[protocol].path, body, { key, headers: { "x-session-id": `${asked}` } });
  };
  const calls = () => vendors.flatMap(({ vendor }) => vendor.calls);
  const settingsAre = async (settings: string): Promise<void> => {
    const file = join(gateway.dataDir, "changed.yaml");
    await writeFile(file, catalog(urls(), settings));
    const { code, stderr } = await gateway.run("apply", file);
    expect(code, stderr).toBe(0);
  };
  /** Ids that the last response to this account gave away, with the key of their place. */
  const issue = async (
    protocol: TextProtocol,
    body: object = {},
    key = TEST_KEY,
  ): Promise<Map<string, string>> => {
    const before = vendors.map(({ issued }) => new Set(issued.keys()));
    const reply = await send(protocol, { ...ENDPOINTS[protocol].body, ...body }, key);
    expect(reply.status, reply.text).toBe(200);
    const fresh = vendors.flatMap(({ issued }, index) =>
      [...issued].filter(([id]) => !before[index]?.has(id)),
    );
    return new Map(fresh);
  };

  it("are known at every place of the tables", () => {
    for (const [protocol, paths] of Object.entries(KNOWN)) {
      const rows = PROTOCOLS[protocol as TextProtocol].forward.references.rows.map(({ path }) => path);
      expect(rows, protocol).toEqual(expect.arrayContaining([...paths]));
    }
  });

  it.each(ROWS)(
    "are refused, in the same words where another account was given them and where nobody was: $protocol $path",
    async (row) => {
      const { protocol, path } = row;
      const before = calls().length;
      const foreign = await send(protocol, bodyWith(protocol, path, theirs));
      const unknown = await send(protocol, bodyWith(protocol, path, "skill_none"));
      const told = ({ status, json }: Reply, id: string): object => ({
        status,
        ...json.error,
        message: json.error.message.replace(id, "ID").replace(/\(request id: .*\)/, ""),
      });
      expect(told(foreign, theirs)).toEqual(told(unknown, "skill_none"));
      expect(unknown.status, unknown.text).toBe(400);
      const code = path === "previous_response_id" ? "previous_response_not_found" : "invalid_request";
      expect(codeIn(unknown.json)).toBe(code);
      expect(unknown.json.error).toMatchObject({ param: path });
      if (code === "invalid_request") expect(unknown.json.error.message).toContain("'skill_none'");
      expect(calls().length).toBe(before);
    },
  );

  it.each(ROWS)("lead to their issuer, and only there: $protocol $path", async ({ protocol, path }) => {
    const issuer = protocol === "generate-content" ? "responses" : protocol;
    for (const [id, place] of own.get(issuer) ?? []) {
      const from = calls().length;
      const reply = await send(protocol, bodyWith(protocol, path, id));
      expect(reply.status, reply.text).toBe(200);
      expect(calls().length).toBe(from + 1);
      expect(
        calls()
          .filter(({ body }) => body.includes(`"${id}"`))
          .map(keyOf),
      ).toEqual(Array.from({ length: (used.get(id) ?? 0) + 1 }, () => place));
      used.set(id, (used.get(id) ?? 0) + 1);
    }
  });

  it.each(ROWS.filter(({ path }) => path !== "previous_response_id"))(
    "that an operator shares lead to the upstream that has them: $protocol $path",
    async ({ protocol, path }) => {
      const reply = await send(protocol, bodyWith(protocol, path, SHARED), OTHER);
      expect(reply.status, reply.text).toBe(200);
      const asked = vendors.map(
        ({ vendor }) => vendor.calls.filter(({ body }) => body.includes(SHARED)).length,
      );
      expect(asked[0]).toBe(0);
      expect(asked[1]).toBeGreaterThan(0);
    },
  );

  it.each(["responses", "chat-completions", "messages"] as const)(
    "are learnt from plain answers and from streams: %s",
    async (protocol) => {
      for (const stream of [false, true]) {
        const given = await issue(protocol, { stream, ...keptBy(protocol) });
        const path = {
          responses: "conversation",
          "chat-completions": "messages[].audio.id",
          messages: "container",
        };
        expect(given.size).toBeGreaterThan(0);
        for (const id of given.keys()) {
          const reply = await send(protocol, bodyWith(protocol, path[protocol], id));
          expect(reply.status, `${id} ${reply.text}`).toBe(200);
        }
      }
    },
  );

  it("are not learnt from an answer that is not kept, but for what is kept in any case", async () => {
    const given = [...(await issue("responses", { store: false })).keys()];
    const replies = await Promise.all(
      given.map((id) => send("responses", bodyWith("responses", "conversation", id))),
    );
    // Answer, item, container, file, item.
    expect(replies.map(({ status }) => status)).toEqual([400, 400, 200, 200, 400]);
  });

  it("are not learnt from an answer that only repeats them", async () => {
    const { status } = await send("responses", bodyWith("responses", "conversation", theirs));
    expect(status).toBe(400);
    expect((await send("responses", bodyWith("responses", "conversation", theirs))).status).toBe(400);
  });

  it("to two issuers in one request are refused, naming the second", async () => {
    const [one, two] = await differentPlaces();
    const body = {
      ...bodyWith("responses", "conversation", one),
      input: [{ type: "item_reference", id: two }],
    };
    const reply = await send("responses", body);
    expect(reply.status).toBe(400);
    expect(codeIn(reply.json)).toBe("invalid_request");
    expect(reply.json.error.message).toContain(one);
    expect(reply.json.error.message).toContain(two);
  });

  const differentPlaces = async (): Promise<[string, string]> => {
    const [[one, place] = ["", ""]] = await issue("responses");
    for (;;) {
      const [[two, other] = ["", ""]] = await issue("responses");
      if (other !== place) return [one, two];
    }
  };

  it.each([
    ["an object without a kind", { id: "skill_none" }],
    ["content that is null", { id: "skill_none", content: null, role: "user" }],
    ["content that is empty", { id: "skill_none", content: [], role: "user" }],
    ["content beside a reference", { type: "item_reference", id: "skill_none", content: "x", role: "user" }],
    [
      "thoughts of which only the summary came",
      { type: "reasoning", id: "skill_none", summary: [{ text: "x" }] },
    ],
    ["a picture that was made before", { type: "image_generation_call", id: "skill_none", result: null }],
    ["a kind that nobody knows", { type: "future_call", id: "skill_none", status: "completed" }],
  ])("are items without content of their own: %s", async (_what, item) => {
    const padding = Array.from({ length: 1_100 }, (_, index) => ({
      type: "message",
      id: `msg_${index}`,
      role: "user",
      content: "x",
    }));
    for (const input of [[item], [...padding, item, ...padding]]) {
      const reply = await send("responses", { ...ENDPOINTS.responses.body, input });
      expect(reply.status, reply.text).toBe(400);
      expect(reply.json.error.param).toBe("input[].id");
    }
  });

  it.each([
    [
      "messages",
      { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "x" }] },
    ],
    ["messages without a kind", { id: "msg_1", role: "assistant", content: "x" }],
    ["calls", { type: "function_call", id: "fc_1", call_id: "c", name: "f", arguments: "" }],
    ["results", { type: "function_call_output", id: "fco_1", call_id: "c", output: "" }],
    ["sealed thoughts", { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed" }],
    ["open thoughts", { type: "reasoning", id: "rs_1", summary: [], content: [{ text: "x" }] }],
    ["thoughts that the gateway translated", { type: "reasoning", id: "rs_gw1", summary: [{ text: "x" }] }],
  ])("are not what brings its own content: %s", async (_what, item) => {
    const reply = await send("responses", { ...ENDPOINTS.responses.body, input: [item] }, POOR);
    expect(reply.status, reply.text).toBe(200);
  });

  it.each([
    [
      "chat-completions",
      { messages: [{ role: "user", content: [{ image_url: { url: "https://example.com/a.png" } }] }] },
    ],
    [
      "messages",
      { messages: [{ role: "user", content: [{ source: { type: "url", url: "https://example.com/a" } }] }] },
    ],
    [
      "messages",
      { messages: [{ role: "assistant", content: [{ type: "tool_use", input: { file_id: "42" } }] }] },
    ],
    [
      "generate-content",
      { contents: [{ parts: [{ fileData: { fileUri: "https://www.youtube.com/watch?v=1" } }] }] },
    ],
  ] as const)("are not public addresses nor words of the caller's: %s", async (protocol, body) => {
    const reply = await send(protocol, { ...ENDPOINTS[protocol].body, ...body });
    expect(reply.status, reply.text).toBe(200);
  });

  it("are known after a restart", async () => {
    const [[id, place] = ["", ""]] = await issue("messages");
    await gateway.end();
    const { database, dataDir } = gateway;
    if (database === undefined) throw new Error("no database");
    gateway = await startGateway({ database, dataDir });
    const reply = await send("messages", bodyWith("messages", "container", id));
    expect(reply.status, reply.text).toBe(200);
    const there = calls().filter((call) => call.body.includes(id));
    expect(there.map(keyOf)).toEqual([place]);
  });

  describe("where foreign ids are allowed", () => {
    beforeAll(async () => {
      await settingsAre("{ foreign_ids: allow }");
      // The command is over before the gateway has heard of the change.
      const unknown = bodyWith("messages", "container", "container_unknown");
      await waitFor("the setting", async () => (await send("messages", unknown)).status === 200);
    });

    it.each(ROWS.filter(({ path }) => path !== "previous_response_id"))(
      "are held as the whole context, and pass: $protocol $path",
      async ({ protocol, path, row }) => {
        const body = bodyWith(protocol, path, "skill_unknown");
        const poor = await send(protocol, body, POOR);
        expect(poor.status, poor.text).toBe(row.addsNothing === true ? 200 : 403);
        const rich = await send(protocol, body);
        expect(rich.status, rich.text).toBe(200);
      },
    );

    it("are refused all the same where they are another account's", async () => {
      const reply = await send("responses", bodyWith("responses", "conversation", theirs));
      expect(reply.status).toBe(400);
      expect(reply.json.error).toMatchObject({ code: "invalid_request", param: "conversation" });
    });
  });
});

/** Messages are kept only where a request asks for it. */
function keptBy(protocol: TextProtocol): object {
  return protocol === "messages" ? { thread: { type: "create" } } : {};
}
