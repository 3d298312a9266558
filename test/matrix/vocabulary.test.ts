import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { catalogFile } from "../support/catalog-file.ts";
import { CHAT } from "../support/endpoints.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { ask } from "../support/world.ts";

/** The file with a model of pictures and one of videos more. */
function withMedia(file: string): string {
  return file
    .replace(
      /^upstreams:/m,
      `  - { id: imagegen-2, family: imagegen, price: { per_image: { 1k: 1, 2k: 1, 4k: 1 } } }
  - { id: videoc-H3-Comfy, family: videoc, price: { per_second: { 480p: 1, 768p: 1 } } }
upstreams:`,
    )
    .replace(
      "rerank: rerank }",
      "rerank: rerank, imagegen-2: imagegen-2, videoc-H3-Comfy: videoc-H3-Comfy }",
    );
}

describe("FAREGATE_VOCABULARY=vendor", () => {
  let sandbox: TestSandbox;
  let gateway: TestGateway;
  beforeAll(async () => {
    sandbox = await startSandbox();
    gateway = await startGateway({
      catalog: withMedia(catalogFile({ upstreams: [{ url: sandbox.url }] })),
      env: { FAREGATE_VOCABULARY: "vendor" },
    });
  });
  afterAll(async () => {
    await gateway.end();
    await gateway.clean();
    await sandbox.stop();
  });

  it("puts the vendors' words into the model list", async () => {
    const { json } = await ask(gateway.url, "/v1/models");
    const types = Object.fromEntries(
      json.data.map((model: { id: string; supported_endpoint_types: string[] }) => [
        model.id,
        model.supported_endpoint_types,
      ]),
    );
    expect(types).toEqual({
      text: ["openai", "openai-response", "anthropic", "gemini"],
      embed: ["embeddings"],
      rerank: ["jina-rerank"],
      "imagegen-2": ["image-generation"],
      "videoc-H3-Comfy": ["openai-video"],
    });
  });

  it("changes nothing else of what callers send or get", async () => {
    expect((await ask(gateway.url, CHAT.path, CHAT.body)).status).toBe(200);
    const { status, json } = await ask(gateway.url, CHAT.path, { ...CHAT.body, model: "nonsense" });
    expect([status, json.error.code, json.error.param]).toEqual([404, "model_not_found", "model"]);
  });
});
