import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openUsageFrameFilter } from "./usage-frame.ts";

const CHUNK =
  'data: {"id":"c","choices":[{"index":0,"delta":{"content":"say \\"usage\\":{}"},"finish_reason":null}],"usage":null}\n\n';
const RIDING =
  'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}\n\n';
const USAGE_ONLY = 'data: {"id":"c","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}\n\n';
const WITHOUT_CHOICES = [
  'data: {"id":"c","usage":{"prompt_tokens":1}}\n\n',
  'data: {"choices":null,"usage":{}}\n\n',
];
const UNASKED = [USAGE_ONLY, ...WITHOUT_CHOICES];
const OTHERS = [
  CHUNK,
  'data: {"error":{"message":"broken"},"usage":{"prompt_tokens":1}}\n\n',
  RIDING,
  ": keep alive\n\n",
  'data: {"choices":[],"prompt_filter_results":[]}\n\n',
  "data: not json\r\n\r\n",
  "data: [DONE]\n\n",
  "\n",
];

describe("the filter of the usage frame", () => {
  it("removes exactly the frame that was not asked for, wherever bytes are cut", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...UNASKED, ...OTHERS)),
        fc.integer({ min: 1, max: 200 }),
        (frames, size) => {
          const bytes = Buffer.from(frames.join(""));
          const filter = openUsageFrameFilter();
          const out: Uint8Array[] = [];
          for (let at = 0; at < bytes.length; at += size)
            out.push(...filter.write(bytes.subarray(at, at + size)));
          out.push(...filter.end());
          expect(Buffer.concat(out).toString()).toBe(
            frames.filter((frame) => !UNASKED.includes(frame)).join(""),
          );
        },
      ),
    );
  });

  it("passes chunks without such a frame on uncopied and in one piece", () => {
    const chunk = Buffer.from(CHUNK + CHUNK + RIDING);
    const [piece, ...more] = openUsageFrameFilter().write(chunk);
    expect(more).toEqual([]);
    expect([piece?.buffer, piece?.byteOffset, piece?.length]).toEqual([
      chunk.buffer,
      chunk.byteOffset,
      chunk.length,
    ]);
  });
});
