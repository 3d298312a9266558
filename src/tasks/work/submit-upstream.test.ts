import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { imageOrder } from "../../../test/support/task-api-contract.ts";
import {
  comeUpNow,
  createTaskRig,
  expectCharged,
  type FakeVendor,
  fakeApi,
  fakeVendor,
  type TaskRig,
  videoRequest,
} from "../../../test/support/tasks.ts";
import { waitFor } from "../../../test/support/wait.ts";
import { isFinal, type TaskRequest } from "../tasks.ts";

let vendor: FakeVendor;
let rig: TaskRig;
beforeEach(async () => {
  vendor = fakeVendor(1n);
  rig = await createTaskRig([vendor]);
});
afterEach(() => rig.close());

describe("an order for a vendor that wants files", () => {
  it("is not sent once its deadline has come while its images were fetched", async () => {
    rig.catalog.settings = { ...rig.catalog.settings, taskDeadlineMinutes: { image: 0.05, video: 1 } };
    const engine = await rig.startEngine({
      apiOf: () => ({ ...fakeApi(), wantsFiles: true }),
      readFile: async (_url, { limits }) => {
        // Timers may be a millisecond early, and in that time an order is still sent.
        await new Promise((resolve) => setTimeout(resolve, limits.totalMs + 100));
        return { bytes: Buffer.from("GIF89a"), headers: {} };
      },
    });
    const caller = await rig.account(1_000_000_000n);
    const request = videoRequest(caller);
    const submission = { ...request.submission, order: imageOrder({ images: ["https://slow.test/1"] }) };
    const { id } = await engine.submit({ ...request, submission } satisfies TaskRequest);
    const over = await waitFor("the end of the task", async () => {
      const found = await engine.read(caller.accountId, id);
      return found !== undefined && isFinal(found.task.state) && found.task;
    });
    expect(over).toMatchObject({ state: "FAILURE", failReason: "The task did not finish in time." });
    expect(vendor.submits(id)).toBe(0);
    await expectCharged(rig, caller, 0n);
  });
});

describe("a repeated submit at a vendor that makes one task of both", () => {
  it("sends what the first did, and nothing while the assets' names there cannot be told", async () => {
    const BOUND = { type: "bound", upstreamId: 1n, credentialId: 10n } as const;
    const responses: readonly ("told" | "refused" | "unknown")[] = ["told", "refused", "unknown", "told"];
    let resolved = 0;
    const sent: string[] = [];
    const engine = await rig.startEngine({
      apiOf: () => ({
        ...fakeApi(true),
        submit(order, target) {
          sent.push(order.prompt ?? "");
          return fakeApi(true).submit(order, target);
        },
      }),
      assets: {
        resolve(_use, order) {
          const type = responses[resolved] ?? "told";
          resolved += 1;
          return Promise.resolve(
            type === "told" ? { ...BOUND, order: { ...order, prompt: "theirs" } } : { type, reason: "Gone." },
          );
        },
      },
    });
    vendor.onSubmit = (taskId) =>
      sent.length === 1 ? "lost" : { type: "accepted", upstreamId: `v-${taskId}` };
    const caller = await rig.account(1_000_000_000n);
    const { id } = await engine.submit(videoRequest(caller));
    for (const polls of [1, 2, 3]) await comeUpNow(rig, id, polls);
    await waitFor("the second submit", () => Promise.resolve(vendor.submits(id) === 2));
    expect([sent, resolved]).toEqual([["theirs", "theirs"], responses.length]);
  });
});
