import * as argon2 from "@node-rs/argon2";
import { describe, expect, it, vi } from "vitest";
import { createFairSemaphore } from "./fair-semaphore.ts";
import { createPasswords } from "./passwords.ts";

const hasher = (secret: string) => ({ hash: (text: string) => Buffer.from(`${secret} ${text}`) });

describe("passwords", () => {
  it("are kept as argon2id with the pinned cost and a salt of their own", async () => {
    const passwords = createPasswords(hasher("ours"));
    const kept = [await passwords.hash("the same"), await passwords.hash("the same")];
    for (const each of kept) expect(each).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(kept[0]).not.toBe(kept[1]);
    expect(await passwords.matches("the same", kept[0])).toBe(true);
    expect(await passwords.matches("another", kept[0])).toBe(false);
  });

  it("cannot be guessed from what is kept without the installation's secret", async () => {
    const kept = await createPasswords(hasher("ours")).hash("123456");
    expect(await createPasswords(hasher("the thief's")).matches("123456", kept)).toBe(false);
  });

  it("cost as much to compare where there is nobody, so that time tells nobody who is there", async () => {
    const hash = vi.fn(argon2.hash);
    const verify = vi.fn(argon2.verify);
    const passwords = createPasswords(hasher("ours"), { hash, verify });
    const kept = await passwords.hash("known");
    await passwords.matches("guess", kept);
    for (const watched of [hash, verify]) watched.mockClear();
    expect(await passwords.matches("guess", kept)).toBe(false);
    expect(await passwords.matches("guess", undefined)).toBe(false);
    expect(await passwords.matches("nobody's", null)).toBe(false);
    expect(verify).toHaveBeenCalledTimes(3);
    expect(hash).not.toHaveBeenCalled();
    const costs = verify.mock.calls.map(([against]) => String(against).split("$").slice(0, 4));
    expect(new Set(costs.map((cost) => cost.join("$")))).toHaveLength(1);
  });

  it("are the same however a keyboard composes their letters", async () => {
    const passwords = createPasswords(hasher("ours"));
    const kept = await passwords.hash("pass\u00e9-partout");
    expect(await passwords.matches("passe\u0301-partout", kept)).toBe(true);
  });

  it("are compared a few at a time, and whoever comes when the line is full is told so", async () => {
    const { run, hasRoom } = createFairSemaphore(2, 3);
    let running = 0;
    let most = 0;
    const ends: (() => void)[] = [];
    const work = async (): Promise<void> => {
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running -= 1;
    };
    const taken = Array.from({ length: 6 }, () => run(work, false));
    expect([hasRoom(false), hasRoom(true)]).toEqual([false, true]);
    expect(taken.map((each) => each !== undefined)).toEqual([true, true, true, true, true, false]);
    while (running > 0) {
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(taken);
    expect(most).toBe(2);
    await expect(run(() => Promise.reject(new Error("failed")), false)).rejects.toThrow("failed");
    expect(await run(() => Promise.resolve("the place is free again"), false)).toBeDefined();
  });

  it("are compared for who is known before all strangers, however many those are", async () => {
    const { run } = createFairSemaphore(1, 3);
    const order: string[] = [];
    const note = (name: string, first: boolean) => run(async () => void order.push(name), first);
    const strangers = ["a", "b", "c", "d", "e"].map((name) => note(name, false));
    const known = ["x", "y"].map((name) => note(name, true));
    await Promise.all([...strangers, ...known]);
    expect(order).toEqual(["a", "x", "y", "b", "c", "d"]);
  });
});
