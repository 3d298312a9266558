import type { Call } from "../call.ts";
import { closed, destroySocket } from "../playback.ts";
import type { Scenario } from "../scenario.ts";
import type { MadeFile } from "./files/file-spec.ts";
import type { Part } from "./range.ts";

/** Sends a file or a part of it, with whatever a scenario does to its body. */
export async function sendFile(
  call: Call,
  scenario: Scenario,
  { bytes, etag }: MadeFile,
  type: string,
  part: Part,
): Promise<void> {
  const { response, track } = call;
  const headers = { "accept-ranges": "bytes", etag, "cache-control": "private, max-age=3600" };
  if (part.type === "unchanged") {
    response.writeHead(304, headers).end();
    return;
  }
  if (part.type === "outside") {
    response.writeHead(416, { ...headers, "content-range": `bytes */${bytes.length}` }).end();
    return;
  }
  const whole = part.type === "whole";
  const body = whole ? bytes : bytes.subarray(part.start, part.end + 1);
  response.writeHead(whole ? 200 : 206, {
    ...headers,
    "content-type": type,
    "content-length": body.length,
    ...(whole ? {} : { "content-range": `bytes ${part.start}-${part.end}/${bytes.length}` }),
  });
  if (call.request.method === "HEAD") {
    response.end();
    return;
  }
  const kept = keptBytes(scenario, body.length);
  track.sent.bytes = kept;
  if (kept === body.length) {
    response.end(body);
    return;
  }
  track.fault = scenario.stall !== undefined ? "stall" : "cut";
  response.write(body.subarray(0, kept));
  if (scenario.stall !== undefined) await closed(response);
  else await destroySocket(response, scenario.reset === true);
}

/** A file has no chunks: `cut` and `stall` strike in its middle. */
function keptBytes({ stall, cut, cutBytes }: Scenario, length: number): number {
  if (stall !== undefined || cut !== undefined) return length >> 1;
  return Math.min(cutBytes ?? length, length);
}
