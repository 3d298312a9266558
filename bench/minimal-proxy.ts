import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { Pool } from "undici";

/**
 * The least a Node proxy can do: request in, request out, answer piped back. No account, no price, no
 * failover. What the gateway costs beyond it is what its features cost. Its arguments are the upstream and
 * what V8 is told.
 */
const [upstreamUrl = "", ...flags] = process.argv.slice(2);
for (const flag of flags) setFlagsFromString(flag);
const upstream = new Pool(upstreamUrl, { connections: 128 });

const server = createServer(async (request, response) => {
  try {
    const { "content-type": type = "", "content-length": length = "" } = request.headers;
    const answer = await upstream.request({
      method: "POST",
      path: request.url ?? "/",
      headers: { "content-type": type, "content-length": length },
      body: request,
    });
    response.writeHead(answer.statusCode, answer.headers);
    answer.body.pipe(response);
  } catch {
    response.writeHead(502).end();
  }
});
server.listen(0, "127.0.0.1", () => process.send?.(server.address() as AddressInfo));
process.on("disconnect", () => process.exit());
