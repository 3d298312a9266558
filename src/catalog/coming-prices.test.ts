import fc from "fast-check";
import { expect, it } from "vitest";
import { momentText, nextBeginMs, pricedAt } from "./coming-prices.ts";

const row = (input: number, fromMs?: number) => ({
  rates: { input: BigInt(input) },
  media: {},
  ...(fromMs === undefined ? {} : { fromMs }),
});

const schedules = fc
  .record({
    hasPresent: fc.boolean(),
    begins: fc.uniqueArray(fc.integer({ min: 1, max: 50 }), { maxLength: 5 }),
  })
  .map(({ hasPresent, begins }) => ({
    price: hasPresent ? row(0) : null,
    coming: begins.sort((a, b) => a - b).map((begin) => row(begin, begin)),
  }));

it("holds of all prices the one that began last, and keeps those that begin later", () => {
  fc.assert(
    fc.property(schedules, fc.integer({ min: 0, max: 60 }), (model, atMs) => {
      const { price, coming } = pricedAt(model, atMs);
      const begun = model.coming.filter(({ fromMs = 0 }) => fromMs <= atMs);
      expect(price).toEqual(begun.at(-1) ?? model.price);
      expect(coming).toEqual(model.coming.slice(begun.length));
    }),
  );
});

it("comes to the same price in steps as at once, and changes at no other moment than the one that is told", () => {
  fc.assert(
    fc.property(schedules, fc.array(fc.integer({ min: 0, max: 60 })), (model, moments) => {
      let seen = model;
      for (const atMs of moments.sort((a, b) => a - b)) {
        const next = pricedAt(seen, atMs);
        expect(next).toEqual(pricedAt(model, atMs));
        expect(next === seen).toBe(atMs < nextBeginMs([seen]));
        seen = next;
      }
    }),
  );
});

it("writes a moment as people do, and no digit of it away", () => {
  expect([momentText(0), momentText(1)]).toEqual(["1970-01-01T00:00:00Z", "1970-01-01T00:00:00.001Z"]);
});
