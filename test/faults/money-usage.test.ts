import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cleanLedger, nanosOf, ODD_PRICE } from "../support/money-books.ts";
import { type Account, type MoneyRig, startMoneyRig } from "../support/money-rig.ts";
import { call, TEXT_PROTOCOLS, type TextProtocol } from "../support/text-caller.ts";
import { waitFor } from "../support/wait.ts";

/** The same wish must cost the same however it is worded and delivered. */
const WISHES = [
  { name: "one question", prompt: "Where does the river Rhine end?" },
  {
    name: "under a system prompt",
    system: "Answer as a cartographer would, briefly.",
    prompt: "Where is Ulm?",
  },
  { name: "thinking first", prompt: "How many bridges cross it? [[sandbox: tokens=60]]", thinking: true },
  { name: "cut by the caller's own limit", prompt: "Name all its tributaries.", maxTokens: 16 },
  { name: "in many chunks", prompt: "And the Danube? [[sandbox: chunks=60]]" },
  { name: "long, in several scripts", prompt: `${"莱茵河 Ῥῆνος Рейн 🏞️ ".repeat(50)}?` }, // below what is cached
] as const;

const WAYS = TEXT_PROTOCOLS.flatMap((protocol) =>
  [false, true].map((streamed): [TextProtocol, boolean] => [protocol, streamed]),
);

/** What the sandbox can report in place of the truth; see its README. */
const ESTIMATED = [
  "omit",
  "negative",
  "nan",
  "infinite",
  "huge",
  "cached_over",
  "fraction",
  "string",
] as const;

const PROMPT =
  "A long walk leads from the harbour over the ridge to the old observatory. Describe what one sees from each " +
  "of the seven benches beside it, what the benches are made of and who may have put them there. ";

describe("usage as vendors report it", () => {
  let rig: MoneyRig;
  beforeAll(async () => {
    rig = await startMoneyRig();
  });
  afterAll(() => rig.stop());

  describe("M7, price parity", () => {
    it.each(WISHES)(
      "charges the same to the nano over every protocol, plain and streamed: $name",
      async (wish) => {
        const accounts = await Promise.all(
          WAYS.map(async ([protocol, streamed]): Promise<Account> => {
            const heard = await call(rig.url, { ...wish, protocol, streamed });
            expect(heard).toMatchObject({ status: 200, complete: true });
            return rig.accountOfId(heard.requestId);
          }),
        );
        for (const { line, row } of accounts) {
          expect(row).toMatchObject({ reason: "completed", estimated: false, hostile: [] });
          expect(row.chargeNanos).toBe(nanosOf(line.usage, ODD_PRICE));
        }
        const charges = new Set(accounts.map(({ row }) => row.chargeNanos));
        expect(charges.size, JSON.stringify(accounts.map(({ line }) => line.usage))).toBe(1);
        expect([...charges][0]).toBeGreaterThan(0n);
      },
    );
  });

  describe("M8, hostile usage", () => {
    const ask = async (kind: string, protocol: TextProtocol, streamed: boolean): Promise<Account> => {
      const tag = `${kind}-${protocol}-${streamed}`;
      const prompt = `${PROMPT}[[sandbox: tag=${tag} tokens=150 usage=${kind}]]`;
      const heard = await call(rig.url, { protocol, streamed, prompt });
      expect(heard).toMatchObject({ status: 200, complete: true });
      return rig.accountOf(tag);
    };

    const alarmsOf = (id: string): Record<string, unknown>[] =>
      rig.gateway
        .output()
        .split("\n")
        .flatMap((line) => (line.includes('"alarm":true') && line.includes(id) ? [JSON.parse(line)] : []));
    /** Of all upstreams. */
    const counted = async (): Promise<number> => {
      const text = await (await fetch(`${rig.url}/metrics`)).text();
      const samples = [...text.matchAll(/^faregate_implausible_usage_total\{.*\} (\d+)$/gm)];
      return samples.reduce((sum, [, count]) => sum + Number(count), 0);
    };

    it("charges nothing where the vendor says zero", async () => {
      await overAllWays(async (protocol, streamed) => {
        const { row } = await ask("zero", protocol, streamed);
        expect(row).toMatchObject({ reason: "completed", estimated: false, hostile: [], chargeNanos: 0n });
      });
    });

    it.each(ESTIMATED)(
      "estimates usage spoiled as '%s' within a twentieth of the truth, and says so",
      async (kind) => {
        const before = await counted();
        await overAllWays(async (protocol, streamed) => {
          const { line, row } = await ask(kind, protocol, streamed);
          expect(row.reason).toBe(kind === "omit" ? "completed_usage_missing" : "completed");
          expect(row.estimated).toBe(true);
          const alarms = () => alarmsOf(row.requestId).map(({ ignoredValues }) => ignoredValues);
          if (kind !== "omit") {
            expect(row.hostile).not.toEqual([]);
            await waitFor("the alarm", () => (alarms().length > 0 ? true : undefined));
          }
          expect(alarms()).toEqual(kind === "omit" ? [] : [row.hostile]);
          expect(row.chargeNanos).toBeGreaterThan(0n);
          const truth = nanosOf(line.usage, ODD_PRICE);
          const off = Math.abs(Number(row.chargeNanos - truth)) / Number(truth);
          expect(off, `${protocol}: ${row.chargeNanos} of ${truth}`).toBeLessThanOrEqual(0.05);
        });
        expect((await counted()) - before).toBe(kind === "omit" ? 0 : WAYS.length);
      },
    );
  });

  it("leaves clean books", async () => {
    expect(await rig.gateway.end()).toBe(0);
    await cleanLedger(rig.gateway);
  });
});

/** Every protocol, plain and streamed, at once. */
async function overAllWays(run: (protocol: TextProtocol, streamed: boolean) => Promise<void>): Promise<void> {
  await Promise.all(WAYS.map(([protocol, streamed]) => run(protocol, streamed)));
}
