import * as argon2 from "@node-rs/argon2";
import { describe, expect, it, vi } from "vitest";
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

  it("are compared two at a time, for who is known before all strangers, and beyond what may wait not at all", async () => {
    const ends: (() => void)[] = [];
    const order: string[] = [];
    let running = 0;
    let most = 0;
    const verify = async (_kept: unknown, password: unknown): Promise<boolean> => {
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running -= 1;
      order.push(String(password));
      return true;
    };
    const passwords = createPasswords(hasher("ours"), { hash: argon2.hash, verify });
    const strangers = Array.from({ length: 202 }, (_, index) =>
      passwords.matches(`stranger ${index}`, "kept"),
    );
    expect(() => passwords.expectRoom()).toThrow("Too many sign-ins");
    expect(() => passwords.expectRoom({ known: true })).not.toThrow();
    await expect(passwords.matches("one too many", "kept")).rejects.toMatchObject({
      reason: "too_many_attempts",
    });
    const known = passwords.matches("known", "kept", { known: true });
    while (order.length < 203) {
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all([...strangers, known]);
    expect([most, order.indexOf("known")]).toEqual([2, 2]);
  });
});
