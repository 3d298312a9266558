import type { UpstreamResponse } from "../call.ts";

/** Says how many tokens went in, also for models whose bodies don't: https://github.com/vercel/ai/pull/15973 */
const COUNT_HEADER = "x-amzn-bedrock-input-token-count";

const OPENING = 0x7b;

/** Writes the count of a plain response's header into its body, as `usage`, where whoever reads the response looks for it. */
export function withCountedInput(response: UpstreamResponse): UpstreamResponse {
  let usage: string | undefined;
  return {
    head(status, headers) {
      const count = headers.get(COUNT_HEADER) ?? "";
      const isJson = (headers.get("content-type") ?? "").toLowerCase().startsWith("application/json");
      if (status === 200 && isJson && /^\d{1,9}$/.test(count)) usage = `"usage":{"input_tokens":${count}},`;
      response.head(status, headers);
    },
    data(chunk) {
      const start = usage === undefined ? -1 : chunk.indexOf(OPENING);
      if (usage === undefined || start === -1) return response.data(chunk);
      const counted = [chunk.subarray(0, start + 1), Buffer.from(usage), chunk.subarray(start + 1)];
      usage = undefined;
      response.data(Buffer.concat(counted));
    },
    ended: () => response.ended(),
    failed: (failure) => response.failed(failure),
  };
}
