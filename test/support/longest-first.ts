import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The files that take longest in each project, those that take most first: begun last, as the small files that some of
 * them are, they would leave all workers but one idle at the end.
 */
export const LONGEST = [
  "test/faults/money-simulation.long.test.ts",
  "test/faults/task-many.long.test.ts",
  "test/faults/money-crash.long.test.ts",
  "test/faults/task-simulation.long.test.ts",
  "test/faults/task-many-at-once.long.test.ts",
  "test/faults/stream-slow-readers.long.test.ts",
  "test/faults/hostile-vendor.long.test.ts",
  "test/faults/limits-breaker.long.test.ts",
  "test/faults/database-orphan.long.test.ts",
  "test/faults/task-crash.long.test.ts",
  "test/faults/money-elsewhere.long.test.ts",
  "test/faults/task-embedded.long.test.ts",
  "test/faults/database-hung.long.test.ts",
  "test/faults/access-start.test.ts",
  "test/faults/task-crash.test.ts",
  "test/journeys/dashboard-pages.test.ts",
  "test/journeys/dashboard-upstreams.test.ts",
  "test/journeys/dashboard-trouble.test.ts",
  "test/faults/media-mirror.test.ts",
  "test/faults/task-stops.test.ts",
  "test/faults/money-crash.test.ts",
  "test/faults/money-overdraft.test.ts",
  "test/faults/money-processes.test.ts",
  "test/faults/money-embedded.test.ts",
  "test/faults/money-abort.test.ts",
  "test/faults/hostile-vendor.test.ts",
  "test/faults/stop-together.test.ts",
  "test/faults/body-memory.test.ts",
  "test/journeys/dashboard-people.test.ts",
  "test/faults/silence.test.ts",
  "test/faults/broken-answers.test.ts",
  "src/tasks/engine.test.ts",
  "src/storage/embedded/open-embedded.test.ts",
  "src/tasks/work/worker.test.ts",
  "src/storage/embedded/cluster.test.ts",
  "src/tasks/work/unknown-fate.test.ts",
  "src/tasks/simulation.test.ts",
  "src/billing/journal/recovery.test.ts",
];

/** The order of files: within each project the longest, then what vitest would begin with. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((one, other) => groupOf(one) - groupOf(other) || rankOf(one) - rankOf(other));
  }
}

function groupOf({ project }: TestSpecification): number {
  return project.config.sequence.groupOrder;
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONGEST.findIndex((file) => moduleId.endsWith(`/${file}`));
  return rank === -1 ? LONGEST.length : rank;
}
