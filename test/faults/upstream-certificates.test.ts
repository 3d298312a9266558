import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { call } from "../support/text-caller.ts";
import { expectErrorForm } from "../support/text-errors.ts";
import { VENDOR_WIRES } from "../support/vendor-wire.ts";
import { waitFor } from "../support/wait.ts";

const FOLDER = join(import.meta.dirname, "../support/certificates");
const SECRET = "our-key-at-the-vendor";

/** By model: the certificate that its upstream shows, and what the log says of it; "" = it is answered. */
const CERTIFICATES = {
  sound: "",
  elsewhere: "its certificate is for another name",
  expired: "its certificate has expired",
  early: "its certificate isn't valid yet, or this machine's clock is wrong",
  self: "its certificate is self-signed; set ca_file, or NODE_EXTRA_CA_CERTS, to its file",
} as const;
type Name = keyof typeof CERTIFICATES;
const NAMES = Object.keys(CERTIFICATES) as Name[];

const pem = (name: string): Buffer => readFileSync(join(FOLDER, `${name}.pem`));

describe("an upstream whose certificate is", () => {
  const servers: Server[] = [];
  const asked: string[] = [];
  let gateway: TestGateway;
  /** Trusts no authority besides the usual ones. */
  let trustless: TestGateway;
  beforeAll(async () => {
    const upstreams = await Promise.all(
      NAMES.map(async (name) => {
        const server = createServer({ key: pem("key"), cert: pem(name) }, (request, response) => {
          asked.push(name);
          request.resume();
          response.setHeader("content-type", "application/json");
          response.end(VENDOR_WIRES["chat-completions"].plain(name));
        });
        servers.push(server);
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        const address = server.address();
        const port = typeof address === "object" && address !== null ? address.port : 0;
        return { name: `vendor-${name}`, url: `https://127.0.0.1:${port}`, models: [name], apiKey: SECRET };
      }),
    );
    const catalog = modelsFile({ models: NAMES, upstreams });
    gateway = await startGateway({ catalog, env: { NODE_EXTRA_CA_CERTS: join(FOLDER, "ca.pem") } });
    trustless = await startGateway({ catalog });
  });
  afterAll(async () => {
    for (const each of [gateway, trustless]) {
      await each?.end();
      await each?.clean();
    }
    for (const server of servers) server.close();
  });

  async function expectRefused(at: TestGateway, name: Name, why: string): Promise<void> {
    const before = asked.length;
    const heard = await call(at.url, { protocol: "chat-completions", model: name, prompt: "Hello" });
    expect(heard.status, heard.text).toBe(502);
    expectErrorForm("chat-completions", heard.text, { status: 502, code: "upstream_error" });
    expect(heard.text).not.toMatch(/certificate|127\.0\.0\.1|vendor-/);
    const line = await waitFor("its line", () =>
      at
        .output()
        .split("\n")
        .find((each) => heard.requestId !== undefined && each.includes(heard.requestId)),
    );
    expect(line).toContain(`No secure connection to vendor-${name}: ${why}.`);
    expect(at.output()).not.toContain(SECRET);
    expect(asked.length, "nothing was sent").toBe(before);
  }

  it.each(NAMES.filter((name) => name !== "sound"))(
    "%s is sent nothing: 502, and the log says which upstream and why",
    (name) => expectRefused(gateway, name, CERTIFICATES[name]),
  );

  it("of an authority that NODE_EXTRA_CA_CERTS names is answered, and of one that nothing names is not", async () => {
    const heard = await call(gateway.url, { protocol: "chat-completions", model: "sound", prompt: "Hello" });
    expect(heard, heard.text).toMatchObject({ status: 200, complete: true });
    await expectRefused(
      trustless,
      "sound",
      "its certificate is signed by an unknown authority; set ca_file, or NODE_EXTRA_CA_CERTS, to the authority's file",
    );
  });
});
