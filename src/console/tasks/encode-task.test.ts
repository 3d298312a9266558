import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TaskRecord } from "../../tasks/store/task-records-store.ts";
import { filesOf } from "./encode-task.ts";

/** The fields of a record that these tests read. */
const taskOf = (expiresAt: number): TaskRecord =>
  ({
    id: "task-1",
    medium: "video",
    lateResult: null,
    result: { outputs: [{ url: "https://v.example/1.mp4", expiresAt }] },
  }) as unknown as TaskRecord;

const shown = (expiresAt: number): string | null | undefined => filesOf(7n, taskOf(expiresAt))[0]?.expires_at;

describe("when a task's file expires", () => {
  it("is told whatever moment stands in the database, or not where no calendar has it", () => {
    fc.assert(
      fc.property(fc.double(), (expiresAt) => {
        expect(shown(expiresAt) ?? "9999-12-31T23:59:59.000Z").toMatch(/^\d{4}-.*Z$/);
      }),
      { examples: [[9e15], [-1], [1e300], [Number.NaN], [253_402_300_800]] },
    );
    expect(shown(1_800_000_000)).toBe("2027-01-15T08:00:00.000Z");
    expect(shown(9e15)).toBeNull();
  });
});
