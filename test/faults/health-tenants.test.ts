import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, TEST_KEY, type TestGateway } from "../support/gateway.ts";
import { modelsFile } from "../support/models-file.ts";
import { report } from "../support/report.ts";
import { call, type Heard } from "../support/text-caller.ts";
import {
  serveWell,
  type VendorCall,
  type VendorUpstream,
  vendorUpstream,
} from "../support/vendor-upstream.ts";
import { VENDOR_WIRES } from "../support/vendor-wire.ts";

/** Ten seconds between bursts are these many milliseconds here: what counts is their order, and that they come at once. */
const BURST_EVERY_MS = 150;
const BURSTS = 5;
const BURST = 8;
const HONEST_AT_ONCE = 3;

const ATTACKERS = ["first-attacker-key-0123456789", "second-attacker-key-0123456789"];

interface Case {
  readonly name: string;
  readonly attackers: number;
  readonly upstreams: number;
  /** Every second request of a burst is good, so that no account's own failures come five in a row. */
  readonly mixed: boolean;
}

const CASES: readonly Case[] = [1, 2].flatMap((attackers) =>
  [1, 2].flatMap((upstreams) =>
    [false, true].map((mixed) => ({
      name: `${attackers} attacker${attackers === 1 ? "" : "s"}, ${upstreams} upstream${upstreams === 1 ? "" : "s"}, ${mixed ? "half poison" : "all poison"}`,
      attackers,
      upstreams,
      mixed,
    })),
  ),
);

/** A model for each case: what one has done to a vendor's health is none of the next one's business. */
const modelOf = ({ attackers, upstreams, mixed }: Case): string =>
  `text-${attackers}-${upstreams}-${mixed ? "mixed" : "all"}`;

describe("H5, an honest tenant beside others whose requests make the vendor fail", () => {
  let first: VendorUpstream;
  let second: VendorUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    first = await vendorUpstream(serve);
    second = await vendorUpstream(serve);
    gateway = await startGateway({ catalog: catalogOf(first, second) });
  });
  afterAll(async () => {
    await gateway?.end();
    await gateway?.clean();
    await first?.close();
    await second?.close();
  });

  const ask = (model: string, key: string, prompt: string): Promise<Heard> =>
    call(gateway.url, { protocol: "messages", model, prompt }, { key });

  const attack = async (model: string, key: string, mixed: boolean): Promise<void> => {
    for (let burst = 0; burst < BURSTS; burst += 1) {
      const burstOf = Array.from({ length: BURST }, (_, index) =>
        ask(model, key, mixed && index % 2 === 1 ? "Hello" : "poison"),
      );
      await Promise.all(burstOf);
      await sleep(BURST_EVERY_MS);
    }
  };

  for (const each of CASES) {
    it(`is answered: ${each.name}`, async () => {
      const model = modelOf(each);
      let attacked = true;
      const statuses: number[] = [];
      const honest = Array.from({ length: HONEST_AT_ONCE }, async () => {
        while (attacked) {
          statuses.push((await ask(model, TEST_KEY, "Hello")).status);
          await sleep(5);
        }
      });
      await Promise.all(ATTACKERS.slice(0, each.attackers).map((key) => attack(model, key, each.mixed)));
      attacked = false;
      await Promise.all(honest);
      const answered = statuses.filter((status) => status === 200).length;
      report(`H5: ${answered} of ${statuses.length} honest requests are answered (${each.name})`);
      expect(statuses.length).toBeGreaterThan(BURSTS);
      expect(answered / statuses.length).toBeGreaterThanOrEqual(0.99);
    });
  }
});

/** Fails as vendors do that choke on a request: after a moment, so that a burst's failures come in a row. */
function serve(each: VendorCall): void {
  if (!each.body.includes("poison")) {
    serveWell(each);
    return;
  }
  const words = { status: 500, type: "server_error", code: "INTERNAL", message: "Oops" };
  setTimeout(() => {
    each.response
      .writeHead(500, { "content-type": "application/json" })
      .end(VENDOR_WIRES[each.protocol].error(words));
  }, 30);
}

function catalogOf(first: VendorUpstream, second: VendorUpstream): string {
  const file = modelsFile({
    models: CASES.map(modelOf),
    upstreams: [
      { name: "first", url: first.url },
      {
        name: "second",
        url: second.url,
        priority: 1,
        models: CASES.filter(({ upstreams }) => upstreams === 2).map(modelOf),
      },
    ],
  });
  const attacker = (key: string, index: number): string =>
    `  - name: attacker-${index}\n    balance: 1000\n    keys:\n      - { name: test, key: ${key} }\n`;
  return file + ATTACKERS.map(attacker).join("");
}
