import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";
import { keepTemporaryFilesInMemory } from "./test/support/temporary-folder.ts";

// Before anything is started, as it is inherited.
keepTemporaryFilesInMemory();

// Limits are there to end what hangs, never to measure: a busy machine may be ten times slower than an idle one.
const UNIT_LIMIT_MS = 120_000;
const BLACKBOX_LIMIT_MS = 240_000;
const LONG_LIMIT_MS = 1_800_000;

// As all waits of the tests; by itself expect.poll gives up after a second.
const POLL = { poll: { timeout: 120_000 } };

// More tries of a test of started servers, which other programs on the machine can disturb: for the gate, that says each.
// What only computes has no excuse.
const RETRIES = Number(process.env["TEST_RETRIES"] ?? 0);

// Tests of started servers wait more than they compute, so that more of them than there are cores run at once; and so do
// some unit tests of what looks again after a while.
const CORES = 2;
const UNIT_WORKERS = 3;
const WAITING_WORKERS = 5;
// The same within a file: tests are concurrent where they wait for a time to pass, or for their usage to be logged.
const WAITING_TESTS = 24;

// One process runs many files: modules hold no state, so that each loads once and not with every file.
const SHARED_PROCESS = { isolate: false, restoreMocks: true, unstubGlobals: true };

/**
 * Four projects: `unit` sits beside the sources, `blackbox` drives started servers (it needs a build), `long` holds the
 * fault lanes that take minutes, `recordings` reads exchanges with real vendors, which are no part of the project.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: "unit",
          include: [
            "src/**/*.test.ts",
            "sandbox/src/**/*.test.ts",
            "dashboard/src/**/*.test.ts",
            "test/laws/**/!(*.long).test.ts",
            "test/tidy.test.ts",
            "test/glossary.test.ts",
            "test/log-messages.test.ts",
          ],
          globalSetup: ["test/support/global-database.ts"],
          ...SHARED_PROCESS,
          testTimeout: UNIT_LIMIT_MS,
          hookTimeout: UNIT_LIMIT_MS,
          maxWorkers: UNIT_WORKERS,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: "blackbox",
          include: ["test/{journeys,matrix,faults}/**/!(*.long).test.ts"],
          globalSetup: ["test/support/global-database.ts"],
          ...SHARED_PROCESS,
          testTimeout: BLACKBOX_LIMIT_MS,
          hookTimeout: BLACKBOX_LIMIT_MS,
          expect: POLL,
          retry: RETRIES,
          maxWorkers: WAITING_WORKERS,
          maxConcurrency: WAITING_TESTS,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "long",
          include: ["test/**/*.long.test.ts"],
          globalSetup: ["test/support/global-database.ts"],
          testTimeout: LONG_LIMIT_MS,
          hookTimeout: BLACKBOX_LIMIT_MS,
          expect: POLL,
          retry: RETRIES,
          maxWorkers: WAITING_WORKERS,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: "recordings",
          include: ["test/recordings/**/*.test.ts"],
          globalSetup: ["test/support/fixtures.ts", "test/support/global-database.ts"],
          ...SHARED_PROCESS,
          testTimeout: UNIT_LIMIT_MS,
          hookTimeout: BLACKBOX_LIMIT_MS,
          maxWorkers: CORES,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
