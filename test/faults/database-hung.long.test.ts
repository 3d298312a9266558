import { afterAll, beforeAll, it } from "vitest";
import { endureSilence, type HungWorld, startHungWorld } from "../support/hung-database.ts";

/** H7. */
const SILENT_MS = 60_000;

let world: HungWorld;
beforeAll(async () => {
  world = await startHungWorld();
});
afterAll(() => world?.clean());

it("while the database is stopped for a minute, every route answers 503 at once, and all is well after", async () => {
  await endureSilence(world, SILENT_MS);
});
