import { expect, it } from "vitest";
import type { RequestContext } from "../core/endpoint.ts";
import type { Router } from "../core/router.ts";
import type { HttpDeps } from "../deps.ts";
import { docsRoutes } from "./docs.ts";

it.each(["/openapi.json", "/docs/json", "/docs/yaml"])(
  "the description of the API is written once, however often %s is asked for",
  async (path) => {
    const handlers = new Map<string, (context: RequestContext) => Promise<void> | void>();
    const route = (
      _: unknown,
      at: string,
      serve: (context: RequestContext) => Promise<void> | void,
    ): void => {
      handlers.set(at, serve);
    };
    docsRoutes(
      { route, endpoint: route } as unknown as Router,
      { version: "1.0.0", console: { operations: [] } } as unknown as HttpDeps,
    );
    const sent: Buffer[] = [];
    const raw = { writeHead: () => ({ end: (body: Buffer) => sent.push(body) }) };
    for (let time = 0; time < 3; time += 1)
      await handlers.get(path)?.({ request: { id: "r" }, raw, headers: {} } as unknown as RequestContext);
    expect(sent).toHaveLength(3);
    expect(new Set(sent).size).toBe(1);
    expect(String(sent[0])).toMatch(/openapi"?: ?"?3\.1/);
  },
);
