import { afterAll, beforeAll, expect, it } from "vitest";
import { endureSilence, type HungWorld, startHungWorld } from "../support/hung-database.ts";

/**
 * H7, briefly: the promise is a second. What is told apart here is that from the five and the thirty-five after
 * which the driver gives up, however busy the machine.
 */
const LIMIT_MS = 4_000;
const SILENT_MS = 8_000;

let world: HungWorld;
beforeAll(async () => {
  world = await startHungWorld();
});
afterAll(() => world?.clean());

it("while every process of the database is stopped, every route answers 503 at once", async () => {
  expect(await endureSilence(world, SILENT_MS)).toBeLessThan(LIMIT_MS);
});
