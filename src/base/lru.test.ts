import fc from "fast-check";
import { expect, it } from "vitest";
import { createLru } from "./lru.ts";

it("keeps what was used lately and never more than its capacity", () => {
  const lru = createLru<string, object>(2);
  lru.set("a", {});
  lru.set("b", {});
  lru.get("a");
  lru.set("c", {});
  expect([...lru.entries()].map(([key]) => key)).toEqual(["a", "c"]);
  lru.set("a", {});
  expect(lru.size()).toBe(2);
});

it("holds its bound and the half of it that was used last, whatever is done", () => {
  const use = fc.tuple(fc.constantFrom("get", "set"), fc.nat(30));
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10 }).map((half) => half * 2),
      fc.array(use),
      (capacity, uses) => {
        const lru = createLru<number, { readonly key: number }>(capacity);
        let used: number[] = [];
        for (const [how, key] of uses) {
          if (how === "get" && lru.get(key) === undefined) continue;
          if (how === "set") lru.set(key, { key });
          used = [...used.filter((each) => each !== key), key];
          expect(lru.size()).toBeLessThanOrEqual(capacity);
          const kept = new Map(lru.entries());
          expect(used.slice(-capacity / 2).filter((each) => kept.get(each)?.key !== each)).toEqual([]);
        }
      },
    ),
  );
});
