import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FakeS3, S3_BUCKET, S3_KEYS, S3_REGION, startFakeS3 } from "../../test/support/fake-s3.ts";
import type { Clock } from "../base/clock.ts";
import { silentLog } from "../observe/log.ts";
import { createDiskBlobStore } from "./disk-blob-store.ts";
import { createRetention } from "./retention.ts";
import { createS3BlobStore } from "./s3-blob-store.ts";
import { createS3Door, type S3Client } from "./s3-client.ts";

const NOW_MS = Date.parse("2026-03-31T12:00:00Z");
const clock: Clock = { nowMs: () => NOW_MS, monotonicMs: () => 0 };
const DAY_MS = 86_400_000;
/** A task that was over on the first of March is gone on the 31st; its file goes two days later. */
const OLD = ["2026-02-26", "2026-02-27"];
const YOUNG = ["2026-02-28", "2026-03-01", "2026-03-31"];
const FILE = "0123456789ABCDEFGHIJKLMNOPQRSTUV.png";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "faregate-retention-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function tidy(
  blobStore: ReturnType<typeof createDiskBlobStore>,
  clocks: { readonly own: number; readonly database: number } = { own: NOW_MS, database: NOW_MS },
): Promise<void> {
  const retention = createRetention({
    log: silentLog,
    drafts: join(folder, "drafts"),
    days: () => 30,
    blobStores: () => [blobStore],
    clock: { ...clock, nowMs: () => clocks.own },
    databaseNowMs: () => Promise.resolve(clocks.database),
  });
  await retention.close();
  await retention.run();
}

it("files outlast their tasks by two days at most, on the disk", async () => {
  for (const day of [...OLD, ...YOUNG]) {
    await mkdir(join(folder, day));
    await writeFile(join(folder, day, FILE), "x");
  }
  await writeFile(join(folder, "2026-notes"), "not ours");
  await tidy(createDiskBlobStore(folder));
  expect((await readdir(folder)).sort()).toEqual(["2026-notes", ...YOUNG].sort());
});

it.each([
  ["this process's", { own: NOW_MS + 90 * DAY_MS, database: NOW_MS }],
  ["the database's", { own: NOW_MS, database: NOW_MS + 90 * DAY_MS }],
])("files stay where only one clock says that they are old: %s", async (_whose, clocks) => {
  const blobStore = createDiskBlobStore(join(folder, "clocks"));
  for (const day of YOUNG) await mkdir(join(folder, "clocks", day), { recursive: true });
  await tidy(blobStore, clocks);
  expect((await readdir(join(folder, "clocks"))).sort()).toEqual(YOUNG);
});

describe("in a bucket", () => {
  let s3: FakeS3;
  let door: S3Client;
  beforeEach(async () => {
    s3 = await startFakeS3();
    door = createS3Door(S3_KEYS, clock);
  });
  afterEach(async () => {
    await door.close();
    await s3.close();
  });

  const bucket = (prefix: string) =>
    createS3BlobStore(door, { kind: "s3", endpoint: s3.url, region: S3_REGION, bucket: S3_BUCKET, prefix });
  const fill = (keys: readonly string[]): void => {
    for (const key of keys) s3.objects.set(key, { body: Buffer.from("x"), type: undefined });
  };
  const names = (): string[] => [...s3.objects.keys()].sort();

  it("files outlast their tasks by two days at most, whatever else is in it", async () => {
    // More than the fake lists in one page.
    const keys = OLD.flatMap((day) => ["a", "b", "c"].map((each) => `p/${day}/${each}${FILE.slice(1)}`));
    const kept = [...YOUNG.map((day) => `p/${day}/${FILE}`), `other/${OLD[0]}/${FILE}`];
    fill([...keys, ...kept]);
    await tidy(bucket("p/"));
    expect(names()).toEqual(kept.sort());
  });

  it("others' objects stay and keep no files of ours, also where they fill the first pages", async () => {
    const others = [
      ...["1", "2", "3", "4"].map((each) => `${each}.csv`),
      // A page of names that XML escapes.
      ...["a&b", "a<b", "a>b", "a\rb"].map((each) => `0/${each}`),
      ...["report.csv", "report.png", "deep/report.png"].map((each) => `${OLD[0]}/${each}`),
      `${OLD[0]}-backup/${FILE}`,
      ...["x", "y", "z"].map((each) => `${OLD[1]}/${each}/${FILE}`),
    ];
    fill([...others, ...[...OLD, ...YOUNG].map((day) => `${day}/${FILE}`)]);
    await tidy(bucket(""));
    expect(names()).toEqual([...others, ...YOUNG.map((day) => `${day}/${FILE}`)].sort());
  });

  it("a run looks at a bounded number of others' objects, and the next one goes on from there", async () => {
    const others = Array.from({ length: 1_000 }, (_, index) => `0/${String(index).padStart(4, "0")}`);
    const ours = `${OLD[0]}/${FILE}`;
    fill([...others, ours]);
    const blobStore = bucket("");
    const asked: number[] = [];
    while (s3.objects.has(ours)) {
      const before = s3.asked.length;
      await tidy(blobStore);
      asked.push(s3.asked.length - before);
      if (asked.length > 10) break;
    }
    expect(names()).toEqual(others);
    expect(asked.length).toBeGreaterThan(1);
    // The next one begins at the front again.
    fill([ours]);
    for (const _ of asked) await tidy(blobStore);
    expect(names()).toEqual(others);
  });
});

it("what a dead process left unfinished goes after an hour", async () => {
  const drafts = join(folder, "drafts");
  await mkdir(drafts);
  for (const [name, minutes] of [
    ["old", 61],
    ["young", 59],
  ] as const) {
    await writeFile(join(drafts, name), "half");
    const at = new Date(NOW_MS - minutes * 60_000);
    await utimes(join(drafts, name), at, at);
  }
  await tidy(createDiskBlobStore(folder));
  expect(await readdir(drafts)).toEqual(["young"]);
});
