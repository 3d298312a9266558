import { expect } from "vitest";
import { TEST_KEY } from "./gateway.ts";
import { waitFor } from "./wait.ts";

export type Receipt = Record<string, unknown>;

/**
 * Posts a request and returns its receipt once the charge is posted. The receipt is the same before, its lines add up to its sum,
 * and the hold covers the charge.
 */
export async function postedReceipt(url: string, path: string, body: object): Promise<Receipt> {
  const headers = { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" };
  const reply = await fetch(`${url}/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  expect(reply.status, await reply.clone().text()).toBe(200);
  await reply.text();
  const receiptUrl = `${url}/v1/receipts/${reply.headers.get("x-request-id")}`;
  const read = async () => (await (await fetch(receiptUrl, { headers })).json()) as Receipt;
  const first = await read();
  await waitFor("the request in the usage log", async () => (await read())["state"] === "posted");
  const posted = await read();
  expect({ ...first, state: "posted" }).toEqual(posted);
  const lines = posted["lines"] as { usd: string }[];
  const sum = lines.reduce((total, { usd }) => total + Number(usd), 0);
  expect(Number(posted["sum_usd"])).toBeCloseTo(sum, 12);
  expect(Number(posted["charge_usd"])).toBeLessThanOrEqual(Number(posted["hold_usd"]));
  return posted;
}
