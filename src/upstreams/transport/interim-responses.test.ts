import { afterEach, describe, expect, it } from "vitest";
import { callOf, OK, PATIENT, transportRig } from "../../../test/support/transport-rig.ts";

const rig = transportRig();
afterEach(() => rig.reset());

describe("an upstream that sends interim answers unasked", () => {
  const interim = [
    "HTTP/1.1 100 Continue\r\n\r\n",
    "HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n",
    "HTTP/1.1 102 Processing\r\n\r\n",
    "HTTP/1.0 100 Continue\r\n\r\n",
    "HTTP/1.1 199 Whatever\r\ncontent-length: 3\r\n\r\n",
  ];
  // Bytes of the response may look like an interim response, but are none.
  const response = `${OK}content-length: 12\r\n\r\nHTTP/1.1 100`;

  it.each([...interim, interim.join(""), interim.join("").repeat(2_000)])(
    "is answered by its final head only, on the same connection again: %#",
    async (before) => {
      const upstream = await rig.serve(({ socket }) => socket.write(before + response));
      for (let round = 0; round < 3; round += 1) {
        expect(await rig.responseOf(callOf(upstream))).toMatchObject({
          status: 200,
          text: "HTTP/1.1 100",
          heads: 1,
          failures: 0,
        });
      }
      expect(rig.server.accepted()).toBe(1);
    },
  );

  it("is answered the same wherever its bytes are cut", async () => {
    const bytes = Buffer.from(interim.join("") + response);
    const upstream = await rig.serve(({ socket }) => {
      socket.setNoDelay(true);
      let at = 0;
      const next = (): void => {
        socket.write(bytes.subarray(at, at + 1));
        at += 1;
        if (at < bytes.length) setImmediate(next);
      };
      next();
    });
    expect(await rig.responseOf(callOf(upstream))).toMatchObject({ status: 200, text: "HTTP/1.1 100" });
  });

  it("more of them than anyone would is malformed, long before its time is over", async () => {
    const upstream = await rig.serve(({ socket }) => {
      const on = (): void => {
        while (!socket.destroyed && socket.write("HTTP/1.1 102 Processing\r\n\r\n".repeat(1_000)));
      };
      socket.on("drain", on);
      on();
    });
    const { failure } = await rig.responseOf(callOf(upstream));
    expect(failure).toMatchObject({ kind: "protocol", phase: "first-byte" });
    expect(failure?.message).toContain("more than a megabyte of interim responses");
  });

  it("now and then, and no answer, has sent no byte of one", async () => {
    const upstream = await rig.serve(
      ({ socket }) => {
        const timer = setInterval(() => socket.write("HTTP/1.1 100 Continue\r\n\r\n"), 5);
        socket.on("close", () => clearInterval(timer));
      },
      { timeouts: { ...PATIENT, firstBytePlainMs: 300, firstByteStreamMs: 300 } },
    );
    const { failure } = await rig.responseOf(callOf(upstream));
    expect(failure).toMatchObject({ kind: "timeout", phase: "first-byte" });
  });
});
