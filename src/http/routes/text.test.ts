import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { silentLog } from "../../observe/log.ts";
import type { HttpDeps } from "../deps.ts";
import { textFastPath } from "./text.ts";

let server: Server;
afterEach(() => server.close());

it("answers a caller at the end of the turn, and does nothing for one who has left within it", async () => {
  const asked: string[] = [];
  const deps = {
    clock: { monotonicMs: () => 0 },
    log: silentLog,
    metrics: { requestEnded: () => undefined },
    authenticator: {
      authenticate(credential: string) {
        asked.push(credential);
        return undefined;
      },
      endOf: () => undefined,
    },
  } as unknown as HttpDeps;
  const shortcut = textFastPath(deps);
  server = createServer((incoming, response) => {
    expect(shortcut(incoming, response)).toBe(true);
    expect(asked).toEqual([]);
    if (incoming.headers["x-api-key"] === "leaves") incoming.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  await expect(ask("leaves")).rejects.toMatchObject({ code: "ECONNRESET" });
  expect((await ask("stays")).statusCode).toBe(401);
  expect(asked).toEqual(["stays"]);
});

async function ask(key: string): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo;
  const sent = request({
    host: "127.0.0.1",
    port,
    method: "POST",
    path: "/v1/chat/completions",
    agent: false,
    headers: { "x-api-key": key },
  });
  sent.end("{}");
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  response.resume();
  return response;
}
