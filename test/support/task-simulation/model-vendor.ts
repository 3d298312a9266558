import type { AskOutcome, UpstreamAsk } from "../../../src/upstreams/call.ts";
import type { FindOutcome, PollOutcome, SubmitOutcome } from "../../../src/upstreams/task-apis/task-api.ts";
import type { World } from "../money/world.ts";

export const RESULT = { outputs: [{ url: "http://vendor.test/v.mp4" }] };

/** The unreliability of the vendor. */
export interface VendorFaults {
  readonly refused: number;
  readonly lostResponse: number;
  readonly unreachable: number;
  readonly failedPoll: number;
  readonly flapping: number;
  readonly synchronous: boolean;
}

interface VendorTask {
  readonly id: string;
  readonly createdAtMs: number;
  readonly takesMs: number;
  readonly succeeds: boolean;
  /** A failure that becomes a success this long after. */
  readonly recoversMs: number | undefined;
}

/** A vendor in memory, with a journal of what it truly made. */
export class ModelVendor {
  readonly made = new Map<string, VendorTask[]>();
  private readonly world: World;
  faults: VendorFaults;

  constructor(world: World, faults: VendorFaults) {
    this.world = world;
    this.faults = faults;
  }

  /** The truth about a task of ours. */
  hasSucceeded(taskId: string): boolean {
    const [task] = this.made.get(taskId) ?? [];
    return task !== undefined && this.outcomeOf(task).type === "succeeded";
  }

  response({ request }: UpstreamAsk, resolve: (outcome: AskOutcome) => void): void {
    const { world, faults } = this;
    const [, kind, id = ""] = request.path.split("/");
    const travelMs = world.chance(0.02) ? world.between(1_000, 40_000) : world.between(1, 300);
    if (world.chance(faults.unreachable)) {
      resolve(failed("connect"));
      return;
    }
    world.after(travelMs, () => {
      const outcome = kind === "submit" ? this.submit(id) : kind === "find" ? this.find(id) : this.poll(id);
      const lost = world.chance(kind === "submit" ? faults.lostResponse : faults.failedPoll);
      world.after(world.between(1, 300), () => resolve(lost ? failed("first-byte") : answered(outcome)));
    });
  }

  private submit(taskId: string): SubmitOutcome {
    const { world, faults } = this;
    if (world.chance(faults.refused)) {
      const next = world.pick(["another", "another", "later", "fail"] as const);
      return { type: "refused", next, reason: "not now", ...(next === "later" && { retryAfterSeconds: 3 }) };
    }
    const all = this.made.get(taskId) ?? [];
    const task = {
      id: `${taskId}#${all.length}`,
      createdAtMs: world.nowMs,
      takesMs: faults.synchronous ? 0 : world.chance(0.05) ? 10_000_000 : world.between(0, 90_000),
      succeeds: faults.synchronous || world.chance(0.8),
      recoversMs: world.chance(0.3) ? world.between(0, 600_000) : undefined,
    };
    this.made.set(taskId, [...all, task]);
    return faults.synchronous ? { type: "done", result: RESULT } : { type: "accepted", upstreamId: task.id };
  }

  /** A list may be behind. */
  private find(taskId: string): FindOutcome {
    const [task] = this.made.get(taskId) ?? [];
    return task === undefined || this.world.chance(this.faults.flapping)
      ? { type: "unknown" }
      : { type: "found", upstreamId: task.id };
  }

  private poll(id: string): PollOutcome {
    const task = (this.made.get(id.split("#")[0] ?? "") ?? []).find((each) => each.id === id);
    if (task === undefined || this.world.chance(this.faults.flapping)) return { type: "queued" };
    return this.outcomeOf(task);
  }

  private outcomeOf(task: VendorTask): PollOutcome {
    const ageMs = this.world.nowMs - task.createdAtMs;
    if (ageMs < task.takesMs) return { type: "running", progressPercent: this.world.between(0, 120) };
    const recovered = task.recoversMs !== undefined && ageMs >= task.takesMs + task.recoversMs;
    return task.succeeds || recovered
      ? { type: "succeeded", result: RESULT }
      : { type: "failed", reason: "no" };
  }
}

function answered(outcome: object): AskOutcome {
  return {
    type: "answered",
    response: { status: 200, headers: {}, body: new TextEncoder().encode(JSON.stringify(outcome)) },
  };
}

function failed(phase: "connect" | "first-byte"): AskOutcome {
  return { type: "failed", failure: { kind: "closed", phase, message: "gone" } };
}
