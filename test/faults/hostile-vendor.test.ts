import { describe, it } from "vitest";
import { runBesideHostileVendor } from "../support/hostile-vendor.ts";

/** The long lane has minutes of it. */
const SECONDS = 20;

describe("a hostile vendor", () => {
  it("takes no honest answer, charges nobody beyond bounds, tells no secret and fills no memory", async () => {
    await runBesideHostileVendor(SECONDS);
  });
});
