import { afterAll, beforeAll, it } from "vitest";
import { endureSilence, type HungWorld, startHungWorld } from "../support/hung-database.ts";

/** H7, briefly. */
const SILENT_MS = 8_000;

let world: HungWorld;
beforeAll(async () => {
  world = await startHungWorld();
});
afterAll(() => world?.clean());

it("while every process of the database is stopped, every route answers 503 at once", async () => {
  await endureSilence(world, SILENT_MS);
});
