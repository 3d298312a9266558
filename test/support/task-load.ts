import { setTimeout as sleep } from "node:timers/promises";
import { runSql } from "./embedded.ts";
import { TEST_KEY } from "./gateway.ts";
import type { JournalLine } from "./sandbox.ts";

export type Medium = "image" | "video";

/** The price of an image, and of a video of two seconds, in `taskCatalog`: odd, so that nothing adds up by chance. */
export const TASK_NANOS: Readonly<Record<Medium, bigint>> = { image: 40_000_003n, video: 2n * 50_000_007n };

export interface TaskCatalogOptions {
  readonly url: string;
  /** Minutes until a task must be over. */
  readonly deadlineMinutes?: number;
  readonly balance?: number;
  /** Further settings, such as `egress_allow: [...]`. */
  readonly settings?: string;
}

/** A catalog file with a model of pictures and one of videos at a sandbox, and the account `acme`. */
export function taskCatalog({
  url,
  deadlineMinutes = 1,
  balance = 1000,
  settings,
}: TaskCatalogOptions): string {
  return `version: 1
models:
  - { id: imagegen-2, family: imagegen, price: { per_image: { 1k: 0.040000003, 2k: 0.08, 4k: 0.16 } } }
  - { id: videob-3.0-video, family: videob, price: { per_second: { 480p: 0.050000007, 720p: 0.09, 1080p: 0.18 } } }
upstreams:
  - { name: vendor, kind: sandbox, base_url: "${url}", api_key: good-key, models: [imagegen-2, videob-3.0-video] }
settings: { task_deadline_minutes: { image: ${deadlineMinutes}, video: ${deadlineMinutes} }${settings === undefined ? "" : `, ${settings}`} }
accounts:
  - name: acme
    balance: ${balance}
    keys: [{ name: test, key: "${TEST_KEY}" }]
`;
}

const HEADERS = { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" };

/** Submits one task; `directive` is the sandbox's. Rejects where no response came. */
export async function submitTask(
  url: string,
  medium: Medium,
  directive: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{
  readonly status: number;
  readonly id: string | undefined;
  readonly body: Record<string, unknown>;
}> {
  const prompt = `A fox [[sandbox: ${directive}]]`;
  const [path, order] =
    medium === "image"
      ? ["/v1/images/generations", { model: "imagegen-2", prompt, size: "1:1" }]
      : ["/v2/videos/generations", { model: "videob-3.0-video", prompt, duration: 2, resolution: "480P" }];
  const response = await fetch(url + path, {
    method: "POST",
    headers: { ...HEADERS, ...headers },
    body: JSON.stringify(order),
  });
  const body = (await response.json()) as Record<string, unknown>;
  const id = typeof body["task_id"] === "string" ? body["task_id"] : undefined;
  return { status: response.status, id, body };
}

export async function readTask(
  url: string,
  medium: Medium,
  id: string,
  wait = 0,
): Promise<Record<string, unknown>> {
  const path = medium === "image" ? `/v1/images/tasks/${id}` : `/v2/videos/generations/${id}`;
  const response = await fetch(`${url}${path}?wait=${wait}`, { headers: HEADERS });
  return (await response.json()) as Record<string, unknown>;
}

export interface AcceptedTask {
  readonly id: string;
  readonly medium: Medium;
}

export interface TaskLoad {
  accepted(): readonly AcceptedTask[];
  stop(): Promise<readonly AcceptedTask[]>;
}

/** Callers that submit one task after the other, pictures and videos in turn; `url` may change while they do. */
export function startTaskLoad(url: () => string, directive: string, callers = 4): TaskLoad {
  const accepted: AcceptedTask[] = [];
  let stopped = false;
  let asked = 0;
  const run = async (): Promise<void> => {
    while (!stopped) {
      asked += 1;
      const medium = asked % 2 === 0 ? "image" : "video";
      const told = await submitTask(url(), medium, directive).catch(() => undefined);
      if (told?.id !== undefined) accepted.push({ id: told.id, medium });
      await sleep(20);
    }
  };
  const running = Promise.all(Array.from({ length: callers }, run));
  return {
    accepted: () => accepted,
    async stop() {
      stopped = true;
      await running;
      return accepted;
    },
  };
}

export interface TaskRow {
  readonly id: string;
  readonly medium: Medium;
  readonly state: string;
  readonly failReason: string;
  readonly chargeNanos: bigint | null;
  /** From the deadline to the end; negative = before it. */
  readonly lateSeconds: number | null;
}

export async function taskRows(databaseUrl: string): Promise<TaskRow[]> {
  const rows = await runSql(
    databaseUrl,
    `select id, medium, state, fail_reason, charge_nanos, extract(epoch from finished_at - deadline_at) as late
       from tasks order by accepted_at`,
  );
  return rows.map((row) => ({
    id: String(row["id"]),
    medium: row["medium"] as Medium,
    state: String(row["state"]),
    failReason: String(row["fail_reason"]),
    chargeNanos: row["charge_nanos"] === null ? null : BigInt(String(row["charge_nanos"])),
    lateSeconds: row["late"] === null ? null : Number(row["late"]),
  }));
}

/** The number of tasks that the upstream made for each of the gateway's. */
export function createsByTask(journal: readonly JournalLine[]): ReadonlyMap<string, number> {
  const creates = new Map<string, number>();
  for (const line of journal) {
    if (!line.protocol.endsWith("-submit")) continue;
    // A refused submit made nothing; one with a fault may have made a task.
    if (line.outcome.startsWith("refused")) continue;
    const { "idempotency-key": id = "" } = line["headers"] as Record<string, string>;
    creates.set(id, (creates.get(id) ?? 0) + 1);
  }
  return creates;
}

/** T2's figure. */
const MAX_LATE_SECONDS = 60;

/** Everything that is wrong with tasks that should be over, held against what callers were told and the upstream did. */
export function taskFaults(
  accepted: readonly AcceptedTask[],
  rows: readonly TaskRow[],
  journal: readonly JournalLine[],
): string[] {
  const faults: string[] = [];
  const byId = new Map(rows.map((row) => [row.id, row]));
  const creates = createsByTask(journal);
  for (const { id } of accepted) if (!byId.has(id)) faults.push(`${id} was accepted and is lost`);
  for (const { id, medium, state, chargeNanos, lateSeconds } of rows) {
    const made = creates.get(id) ?? 0;
    if (made > 1) faults.push(`${id} was made ${made} times`);
    if (state === "SUCCESS") {
      if (made !== 1) faults.push(`${id} succeeded and was made ${made} times`);
      if (chargeNanos !== TASK_NANOS[medium]) faults.push(`${id} was charged ${chargeNanos}`);
    } else if (state === "FAILURE") {
      if (chargeNanos !== 0n) faults.push(`${id} failed and was charged ${chargeNanos}`);
    } else faults.push(`${id} is ${state}`);
    if (lateSeconds !== null && lateSeconds > MAX_LATE_SECONDS)
      faults.push(`${id} ended ${lateSeconds} s late`);
  }
  for (const [id] of creates) if (!byId.has(id)) faults.push(`the upstream made ${id}, which nobody knows`);
  return faults;
}

/** Waits until every task is over. */
export async function allFinal(databaseUrl: string, limitMs: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < limitMs; waitedMs += 500) {
    const [row] = await runSql(
      databaseUrl,
      "select count(*)::int as open from tasks where finished_at is null",
    );
    if (row?.["open"] === 0) return;
    await sleep(500);
  }
  throw new Error("waited in vain for all tasks to be over");
}
