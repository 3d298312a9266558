import type { Clock } from "../base/clock.ts";
import { failpoint } from "../base/failpoint.ts";
import { randomText } from "../base/random.ts";
import { ledgersOf } from "../billing/leases/ledger-ref.ts";
import { mediaHold, UnpricedError } from "../billing/pricing/media-charge.ts";
import type { HoldAmount, TaskBilling } from "../billing/task-billing.ts";
import type { Catalog, Upstream } from "../catalog/catalog.ts";
import { type ErrorReason, GatewayError, type LimitName } from "../errors.ts";
import type { Submission } from "../families/family.ts";
import type { Admission } from "../limits/admission.ts";
import type { Limits } from "../limits/limits.ts";
import { outageOf } from "../storage/failures.ts";
import type { TaskApi } from "../upstreams/task-apis/task-api.ts";
import type { Acceptance, FoundTask, NewTask, TaskStore } from "./store/task-store.ts";
import type { Task, TaskRequest } from "./tasks.ts";
import { coolingMs, placesOf } from "./work/places.ts";

export interface SubmitDeps {
  readonly store: TaskStore;
  readonly catalog: { current(): Catalog };
  readonly limits: Limits;
  readonly apiOf: (upstream: Upstream) => TaskApi | undefined;
  readonly billing: TaskBilling<Acceptance>;
  readonly clock: Clock;
}

/** A queue of thousands does not empty within seconds. */
const FULL_RETRY_AFTER_SECONDS = 30;

/** The specification checks money before rate limits and room. */
const BEHIND_MONEY: ReadonlySet<ErrorReason> = new Set(["rate_limit_exceeded", "upstream_saturated"]);

export interface Submitter {
  submit(request: TaskRequest): Promise<Task>;
  preview(request: TaskRequest): bigint;
}

/** Accepts tasks. A refused one leaves nothing behind; an accepted one is in the queue with its hold. */
export function createSubmitter(deps: SubmitDeps): Submitter {
  const { store, limits, billing } = deps;

  const submit = async (request: TaskRequest): Promise<Task> => {
    const { caller, idempotency } = request;
    const task = newTask(request, deps);
    let admission: Admission | undefined;
    try {
      if (request.admission instanceof GatewayError) throw request.admission;
      if (request.admission === undefined) admission = await limits.admit(caller);
      const known = idempotency && (await store.findByIdempotencyKey(caller.accountId, idempotency.key));
      if (known) return sameTask(request, known);
      if (task.violation === null) await refuseSaturated(request, deps);
      return await accepted(request, task);
    } catch (error) {
      if (error instanceof GatewayError && BEHIND_MONEY.has(error.reason))
        await billing.requireFunds(holdOf(task));
      throw outageOf(error) ?? error;
    } finally {
      admission?.finish();
    }
  };

  const accepted = async (request: TaskRequest, task: NewTask): Promise<Task> => {
    const acceptance = await billing.take({
      ...holdOf(task),
      async attempt() {
        failpoint("task.accept.before-statement");
        const acceptance = await store.accept(task);
        failpoint("task.accept.after-statement");
        return acceptance;
      },
    });
    switch (acceptance.outcome) {
      case "accepted":
        return freshTask(task, acceptance.acceptedAt);
      case "existing":
        return sameTask(request, await existing(request, acceptance.taskId));
      case "full":
        throw saturated(
          "Too many tasks are waiting for this model",
          "tasks_per_model",
          FULL_RETRY_AFTER_SECONDS,
        );
    }
  };

  const existing = async (request: TaskRequest, id: string): Promise<FoundTask> => {
    const found = await store.find(request.caller.accountId, id);
    if (found === undefined) throw new Error(`task ${id} is known and is not there`);
    return found;
  };

  return {
    submit,
    preview: (request) => newTask(request, deps).holdNanos,
  };
}

function holdOf({ ledgers, holdNanos }: NewTask): HoldAmount {
  return { ledgers, amountNanos: holdNanos };
}

/** Returns the record of a task that no worker has claimed yet. */
function freshTask({ id, requestId, model, order, action }: NewTask, acceptedAt: number): Task {
  return {
    id,
    requestId,
    model,
    family: order.family,
    action,
    state: "NOT_START",
    progressPercent: 0,
    failReason: "",
    submitTime: acceptedAt,
    startTime: 0,
    finishTime: 0,
    result: null,
  };
}

/** Returns the task of an idempotency key. Throws if the key was used for another request. */
function sameTask({ idempotency, submission }: TaskRequest, { task, medium, bodyDigest }: FoundTask): Task {
  if (idempotency && (bodyDigest !== idempotency.bodyDigest || medium !== submission.order.medium)) {
    throw new GatewayError(
      "idempotency_conflict",
      "This Idempotency-Key was already used with a different request. Use a new key for a new request.",
    );
  }
  return task;
}

function newTask(request: TaskRequest, { catalog, clock }: SubmitDeps): NewTask {
  const { caller, model, submission, requestId, idempotency, webhookUrl, tags } = request;
  const { groups, settings } = catalog.current();
  const factorPpm = groups.get(caller.group)?.factorPpm;
  if (model.price === null || factorPpm === undefined) throw unpriced(model.id);
  const { id: priceId, media, rates } = model.price;
  const tokens = rates.input === undefined ? undefined : rates;
  const price = { priceId, rates: { ...media, tokens }, factorPpm };
  return {
    id: `task-${randomText(24)}`,
    requestId,
    caller,
    model: model.id,
    action: submission.action,
    order: submission.order,
    units: submission.units,
    violation: submission.violation,
    price,
    deadlineMs: settings.taskDeadlineMinutes[submission.order.medium] * 60_000,
    holdNanos: maxChargeOf(submission, price, model.id),
    ledgers: ledgersOf(caller, clock.nowMs(), model.id),
    idempotency: idempotency ?? null,
    webhookUrl: webhookUrl ?? null,
    tags,
    maxWaiting: settings.queues.tasksPerModel,
  };
}

function maxChargeOf({ units, order }: Submission, price: NewTask["price"], model: string): bigint {
  const images = order.medium === "image" ? order.images.length : 0;
  try {
    return mediaHold(units, price, { textBytes: Buffer.byteLength(order.prompt ?? ""), images });
  } catch (error) {
    if (error instanceof UnpricedError) throw unpriced(model);
    throw error;
  }
}

/** Throws 429 while every place that could take the task has responded with 429 and its pause is not over. */
async function refuseSaturated({ caller, model, submission }: TaskRequest, deps: SubmitDeps): Promise<void> {
  const { store, catalog, apiOf } = deps;
  if (submission.order.family !== "videoa") return;
  const places = placesOf(catalog.current().serving(model.id, caller.group, "videos"), model.id, apiOf);
  if (places.length === 0) return;
  const coolings = await store.coolings();
  const waitMs = Math.min(...places.map(({ place }) => coolingMs(place, coolings)));
  if (waitMs > 0)
    throw saturated(
      "All upstreams of this model are saturated",
      "upstream_limits",
      Math.max(1, Math.ceil(waitMs / 1000)),
    );
}

function saturated(what: string, limit: LimitName, retryAfterSeconds: number): GatewayError {
  return new GatewayError(
    "upstream_saturated",
    `${what}; nothing was accepted or charged. Try again in ${retryAfterSeconds} s.`,
    { retryAfterSeconds, limit },
  );
}

function unpriced(model: string): GatewayError {
  return new GatewayError("model_not_priced", `Model ${model} has no price for this request.`);
}
