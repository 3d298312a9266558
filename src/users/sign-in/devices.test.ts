import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { KeyHasher } from "../../accounts/key-hasher.ts";
import type { UserId } from "../identity.ts";
import { DEVICE_DAYS, knownDevice, rememberDevice } from "./devices.ts";

const hasher: KeyHasher = { hash: (text) => createHmac("sha256", "a secret").update(text).digest() };
const DAY_MS = 86_400_000;
const NOW = 20_000 * DAY_MS;

const user = (id: bigint, passwordHash = "first") => ({ id: id as UserId, passwordHash });
const remember = (owner: ReturnType<typeof user>, cookie?: string, nowMs = NOW): string =>
  rememberDevice(hasher, owner, { cookie, nowMs });
const knows = (owner: ReturnType<typeof user>, cookie: string, nowMs = NOW): boolean =>
  knownDevice(hasher, owner, { cookie, nowMs }) !== undefined;
const entries = (cookie: string): number => cookie.split("~").length;

describe("the cookie of a known browser", () => {
  it("knows each of the users who share it", () => {
    let cookie = "";
    for (const id of [1n, 2n, 3n, 4n]) cookie = remember(user(id), cookie);
    expect([1n, 2n, 3n, 4n].map((id) => knows(user(id), cookie))).toEqual([true, true, true, true]);
    expect(knows(user(5n), cookie)).toBe(false);
  });

  it("drops what another password has ended, so that it takes nobody's place", () => {
    let cookie = "";
    for (const id of [1n, 2n, 3n]) cookie = remember(user(id), cookie);
    // Reset by an operator, who knows neither password, and by themselves after that.
    for (const passwordHash of ["second", "third", "fourth"])
      cookie = remember(user(3n, passwordHash), cookie);
    expect(entries(cookie)).toBe(3);
    expect([knows(user(1n), cookie), knows(user(2n), cookie)]).toEqual([true, true]);
    expect([knows(user(3n), cookie), knows(user(3n, "fourth"), cookie)]).toEqual([false, true]);
  });

  it("drops what is too old, and what is none of ours", () => {
    const old = remember(user(1n), "", NOW - (DEVICE_DAYS + 1) * DAY_MS);
    expect(entries(remember(user(2n), `${old}~nonsense~~1.2.3`))).toBe(1);
    const young = remember(user(1n), "", NOW - (DEVICE_DAYS - 1) * DAY_MS);
    expect(knows(user(1n), remember(user(2n), young))).toBe(true);
  });
});
