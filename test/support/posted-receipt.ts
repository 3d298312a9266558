import { expect } from "vitest";
import { TEST_KEY } from "./gateway.ts";
import { waitFor } from "./wait.ts";

export type Receipt = Record<string, unknown>;

/**
 * Posts a request and returns its receipt once the charge is posted. The receipt is the same before, its lines add up to its sum,
 * and the hold covers the charge.
 */
export async function postedReceipt(url: string, path: string, body: object): Promise<Receipt> {
  return (await posted(url, path, body)).receipt;
}

/** The same with the response, for a request with further headers, or one that ends with another status. */
export async function posted(
  url: string,
  path: string,
  body: object,
  more: Readonly<Record<string, string>> = {},
  status = 200,
): Promise<{ reply: Response; receipt: Receipt }> {
  const headers = { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json", ...more };
  const reply = await fetch(`${url}/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  expect(reply.status, await reply.clone().text()).toBe(status);
  await reply.text();
  const receiptUrl = `${url}/v1/receipts/${reply.headers.get("x-request-id")}`;
  const read = async () => (await (await fetch(receiptUrl, { headers })).json()) as Receipt;
  const first = await read();
  await waitFor("the request in the usage log", async () => (await read())["state"] === "posted");
  const receipt = await read();
  expect({ ...first, state: "posted" }).toEqual(receipt);
  const lines = receipt["lines"] as { usd: string }[];
  const sum = lines.reduce((total, { usd }) => total + Number(usd), 0);
  expect(Number(receipt["sum_usd"])).toBeCloseTo(sum, 12);
  expect(Number(receipt["charge_usd"])).toBeLessThanOrEqual(Number(receipt["hold_usd"]));
  return { reply, receipt };
}
