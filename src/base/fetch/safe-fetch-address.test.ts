import { expect, it } from "vitest";
import { isPublicAddress, plainAddress } from "./safe-fetch-address.ts";

it("knows the addresses of the public Internet, also where v6 carries a v4 one", () => {
  for (const address of [
    ...["8.8.8.8", "93.184.216.34", "172.15.255.255", "172.32.0.1", "100.63.0.1", "100.128.0.1"],
    ...["2606:2800:220:1::1", "2a00:1450:4001::1", "::ffff:8.8.8.8", "64:ff9b::808:808"],
  ]) {
    expect(isPublicAddress(address), address).toBe(true);
  }
});

it("spells each address in one way", () => {
  expect(plainAddress("::ffff:7f00:1")).toBe("127.0.0.1");
  expect(plainAddress("2001:DB8:0::1")).toBe("2001:db8::1");
  expect(plainAddress("nonsense")).toBe(undefined);
});
