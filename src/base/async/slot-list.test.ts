import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SlotList, type Slotted } from "./slot-list.ts";

interface Named extends Slotted {
  readonly name: number;
}

describe("a roster", () => {
  test("holds what a set would, in the order of joining, whoever joins and leaves", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 400 }), { maxLength: 2_000 }), (moves) => {
        const slotList = new SlotList<Named>();
        const inside = new Map<number, Named>();
        for (const name of moves) {
          const member = inside.get(name);
          if (member === undefined) {
            const joined = { name, slot: -1 };
            inside.set(name, joined);
            slotList.add(joined);
          } else {
            inside.delete(name);
            expect(slotList.delete(member)).toBe(true);
            expect(slotList.delete(member)).toBe(false);
          }
        }
        expect(slotList.members()).toEqual([...inside.values()]);
        expect(slotList.size).toBe(inside.size);
        expect(slotList.first()).toBe([...inside.values()][0]);
      }),
    );
  });

  test("takes back nobody whom it does not hold", () => {
    const one = new SlotList<Named>();
    const other = new SlotList<Named>();
    const member = { name: 1, slot: -1 };
    one.add(member);
    other.add({ name: 2, slot: -1 });
    expect(other.delete(member)).toBe(false);
    expect(one.size).toBe(1);
  });

  test("is empty once cleared", () => {
    const slotList = new SlotList<Named>();
    for (let name = 0; name < 100; name += 1) slotList.add({ name, slot: -1 });
    slotList.clear();
    expect([slotList.size, slotList.members()]).toEqual([0, []]);
  });
});
