import { describe, it } from "vitest";
import { runBesideHostileVendor } from "../support/hostile-vendor.ts";

/** Two minutes in the long lane; FAREGATE_HOSTILE_SECONDS=600 for the ten that were promised. */
const SECONDS = Number(process.env["FAREGATE_HOSTILE_SECONDS"] ?? 120);

describe("a hostile vendor for minutes", () => {
  it("takes no honest answer, charges nobody beyond bounds, tells no secret and fills no memory", async () => {
    await runBesideHostileVendor(SECONDS);
  });
});
