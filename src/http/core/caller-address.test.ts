import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { addressOf } from "./caller-address.ts";

const request = (remoteAddress: string, forwarded?: string): IncomingMessage =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
  }) as unknown as IncomingMessage;

describe("a caller's address", () => {
  it("is the connection's where no proxy is trusted, whatever the header says", () => {
    expect(addressOf(request("::ffff:192.0.2.7", "198.51.100.1"), [])).toBe("192.0.2.7");
    expect(addressOf(request("192.0.2.7", "198.51.100.1"), ["10.0.0.0/8"])).toBe("192.0.2.7");
  });

  it("is what trusted proxies tell, from the right up to the first that is not trusted", () => {
    const told = "203.0.113.9, 198.51.100.1, 10.1.1.1";
    expect(addressOf(request("10.0.0.5", told), ["10.0.0.0/8"])).toBe("198.51.100.1");
    expect(addressOf(request("10.0.0.5", told), ["10.0.0.5"])).toBe("10.1.1.1");
    expect(addressOf(request("::1", "2001:db8::9"), ["::1"])).toBe("2001:db8::9");
  });

  it("is told by a proxy that is named in its IPv6 form as by one named plainly", () => {
    for (const proxy of ["::ffff:10.0.0.5", "::ffff:a00:5", "::ffff:10.0.0.0/104", "::ffff:0:0/96"])
      for (const connection of ["10.0.0.5", "::ffff:10.0.0.5"])
        expect(addressOf(request(connection, "11.1.1.1, 192.0.2.7"), [proxy])).toBe(
          proxy.endsWith("/96") ? "11.1.1.1" : "192.0.2.7",
        );
    expect(addressOf(request("11.0.0.5", "192.0.2.7"), ["::ffff:10.0.0.0/104"])).toBe("11.0.0.5");
    expect(addressOf(request("10.0.0.5", "192.0.2.7"), ["::/0"])).toBe("10.0.0.5");
  });

  it("stays the proxy's where the header ends or holds no address", () => {
    expect(addressOf(request("10.0.0.5"), ["10.0.0.0/8"])).toBe("10.0.0.5");
    expect(addressOf(request("10.0.0.5", "unknown"), ["10.0.0.0/8"])).toBe("10.0.0.5");
    expect(addressOf(request("10.0.0.5", "10.9.9.9"), ["10.0.0.0/8"])).toBe("10.9.9.9");
  });
});
