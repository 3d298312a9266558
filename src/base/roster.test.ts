import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Member, Roster } from "./roster.ts";

interface Named extends Member {
  readonly name: number;
}

describe("a roster", () => {
  test("holds what a set would, in the order of joining, whoever joins and leaves", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 400 }), { maxLength: 2_000 }), (moves) => {
        const roster = new Roster<Named>();
        const inside = new Map<number, Named>();
        for (const name of moves) {
          const member = inside.get(name);
          if (member === undefined) {
            const joined = { name, seat: -1 };
            inside.set(name, joined);
            roster.add(joined);
          } else {
            inside.delete(name);
            expect(roster.delete(member)).toBe(true);
            expect(roster.delete(member)).toBe(false);
          }
        }
        expect(roster.members()).toEqual([...inside.values()]);
        expect(roster.size).toBe(inside.size);
        expect(roster.first()).toBe([...inside.values()][0]);
      }),
    );
  });

  test("takes back nobody whom it does not hold", () => {
    const one = new Roster<Named>();
    const other = new Roster<Named>();
    const member = { name: 1, seat: -1 };
    one.add(member);
    other.add({ name: 2, seat: -1 });
    expect(other.delete(member)).toBe(false);
    expect(one.size).toBe(1);
  });

  test("is empty once cleared", () => {
    const roster = new Roster<Named>();
    for (let name = 0; name < 100; name += 1) roster.add({ name, seat: -1 });
    roster.clear();
    expect([roster.size, roster.members()]).toEqual([0, []]);
  });
});
