import { describe, expect, it } from "vitest";
import { systemTimers } from "../../base/async/timers.ts";
import { GatewayError } from "../../errors.ts";
import { silentLog } from "../../observe/log.ts";
import type { JournalMedium } from "./journal-files.ts";
import { recordOf } from "./journal-record.ts";
import { createJournalWriter } from "./journal-writer.ts";

describe("the line writer", () => {
  it("writes all lines of one turn of the event loop at once", async () => {
    const { writes, writer } = create();
    const records = [
      writer.begin(1, recordOf("{}")),
      writer.begin(2, recordOf("{}")),
      writer.end(3, recordOf("{}")),
    ];
    expect(writes).toEqual([]);
    await Promise.all(records);
    await writer.end(4, recordOf("{}"));
    expect(writes.map((text) => text.split("\n").length - 1)).toEqual([3, 1]);
  });

  it("refuses to begin on a full disk, and lets an end through once it is posted", async () => {
    const { disk, writer } = create();
    disk.full = true;
    await expect(writer.begin(1, recordOf("{}"))).rejects.toThrow(GatewayError);
    expect(writer.isWritable()).toBe(false);
    let ended = false;
    const end = writer.end(2, recordOf("{}")).then(() => {
      ended = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    writer.posted(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toBe(false);
    writer.posted(2);
    await end;
  });

  it("writes what was refused as soon as the disk takes it, in order", async () => {
    const { disk, writes, writer } = create();
    disk.full = true;
    const begun = writer.begin(1, recordOf('"one"')).catch(() => undefined);
    await begun;
    const end = writer.end(2, recordOf('"two"'));
    await new Promise((resolve) => setImmediate(resolve));
    writer.retry();
    expect(writer.isWritable()).toBe(false);
    disk.full = false;
    writer.retry();
    await end;
    expect(writer.isWritable()).toBe(true);
    expect(writes.join("").indexOf("one")).toBeLessThan(writes.join("").indexOf("two"));
  });
});

function create() {
  const disk = { full: false };
  const writes: string[] = [];
  const medium: JournalMedium = {
    append(records) {
      if (disk.full) throw new Error("ENOSPC: no space left on device");
      writes.push(records.toString());
    },
    release: () => undefined,
    carryBefore: () => 0,
    remove: () => undefined,
    close: () => undefined,
  };
  return { disk, writes, writer: createJournalWriter(medium, systemTimers, silentLog) };
}
