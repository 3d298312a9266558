import type { Clock } from "../base/clock.ts";
import { failpoint } from "../base/failpoint.ts";
import { formatUsd } from "../base/money.ts";
import { randomText } from "../base/random.ts";
import { sleep, type Timers } from "../base/timers.ts";
import { ledgersOf } from "../billing/ledger-ref.ts";
import { mediaCharge, UnpricedError } from "../billing/rate.ts";
import type { Catalog, Upstream } from "../catalog/catalog.ts";
import { type ErrorReason, GatewayError } from "../errors.ts";
import type { Admission } from "../limits/admission.ts";
import type { Limits } from "../limits/limits.ts";
import type { Log } from "../observe/log.ts";
import { isConnectionLoss, outageOf } from "../storage/failures.ts";
import type { TaskApi } from "../upstreams/task-apis/task-api.ts";
import { coolingMs, placesOf } from "./choose.ts";
import type { Acceptance, FoundTask, NewTask, TaskStore } from "./task-store.ts";
import type { Task, TaskRequest } from "./tasks.ts";

export interface SubmitDeps {
  readonly store: TaskStore;
  readonly catalog: { current(): Catalog };
  readonly limits: Limits;
  readonly apiOf: (upstream: Upstream) => TaskApi | undefined;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

/** As long as a text request waits for money that others hold, and as many of one account. */
const MAX_WAIT_MS = 10_000;
const MAX_WAITERS = 1_000;
const RETRY_MS = 100;
/** A database that is away, gone or hung, is told to the caller within a second. */
const UNANSWERED_MS = 600;
const RETRY_AFTER_SECONDS = 2;
/** A queue of thousands does not empty within seconds. */
const FULL_RETRY_AFTER_SECONDS = 30;

/** The specification looks at money before it looks at rates and room. */
const BEHIND_MONEY: ReadonlySet<ErrorReason> = new Set(["rate_limit_exceeded", "upstream_saturated"]);

export interface Submitter {
  submit(request: TaskRequest): Promise<Task>;
  preview(request: TaskRequest): bigint;
}

/** Accepts tasks: what is refused here leaves nothing behind, what is accepted is on the board with its hold. */
export function createSubmitter(deps: SubmitDeps): Submitter {
  const { store, limits, clock, timers } = deps;
  const waiters = new Map<bigint, number>();

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
      if (error instanceof GatewayError && BEHIND_MONEY.has(error.reason)) await refuseTooPoor(task);
      throw outageOf(error) ?? error;
    } finally {
      admission?.finish();
    }
  };

  /** Tries until the hold is there or the patience is over: money may be on its way back from other processes. */
  const accepted = async (request: TaskRequest, task: NewTask): Promise<Task> => {
    const deadlineMs = clock.monotonicMs() + MAX_WAIT_MS;
    let leave: (() => void) | undefined;
    try {
      for (;;) {
        const acceptance = await attempt(task);
        switch (acceptance.outcome) {
          case "accepted":
            return freshTask(task, acceptance.acceptedAt);
          case "existing":
            return sameTask(request, await existing(request, acceptance.taskId));
          case "full":
            throw saturated("Too many tasks wait for this model", FULL_RETRY_AFTER_SECONDS);
          case "insufficient":
            throw insufficient(task, acceptance.ledger);
          case "reclaiming":
            break;
        }
        if (clock.monotonicMs() >= deadlineMs) throw busy();
        leave ??= queueUp(request.caller.accountId);
        await sleep(timers, RETRY_MS);
      }
    } finally {
      leave?.();
    }
  };

  /** Who cannot pay is told that, not to come back later for the same answer. */
  const refuseTooPoor = async (task: NewTask): Promise<void> => {
    const ledger = await store.lacking(task.ledgers, task.holdNanos);
    if (ledger !== undefined) throw insufficient(task, ledger);
  };

  const queueUp = (accountId: bigint): (() => void) => {
    const others = waiters.get(accountId) ?? 0;
    if (others >= MAX_WAITERS) throw busy();
    waiters.set(accountId, others + 1);
    return () => {
      const left = (waiters.get(accountId) ?? 1) - 1;
      if (left > 0) waiters.set(accountId, left);
      else waiters.delete(accountId);
    };
  };

  /** A commit whose answer was lost is asked again under the same id, which tells what became of it. */
  const attempt = async (task: NewTask): Promise<Acceptance> => {
    const deadlineMs = clock.monotonicMs() + UNANSWERED_MS;
    for (;;) {
      try {
        failpoint("task.accept.before-statement");
        const acceptance = await store.accept(task);
        failpoint("task.accept.after-statement");
        return acceptance;
      } catch (error) {
        if (!isConnectionLoss(error) || clock.monotonicMs() >= deadlineMs) throw error;
        await sleep(timers, RETRY_MS);
      }
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

/** As it is before anyone has looked at it. */
function freshTask({ id, requestId, model, order, action }: NewTask, acceptedAt: number): Task {
  return {
    ...{
      id,
      requestId,
      model,
      family: order.family,
      action,
      state: "NOT_START",
      progressPercent: 0,
      failReason: "",
    },
    ...{ submitTime: acceptedAt, startTime: 0, finishTime: 0, result: null },
  };
}

/** The key's task, unless the key came with another request then. */
function sameTask({ idempotency, submission }: TaskRequest, { task, medium, bodyDigest }: FoundTask): Task {
  if (idempotency && (bodyDigest !== idempotency.bodyDigest || medium !== submission.order.medium)) {
    throw new GatewayError(
      "idempotency_conflict",
      "This Idempotency-Key was used with another request before; use a new key for a new request.",
    );
  }
  return task;
}

function newTask(request: TaskRequest, { catalog, clock }: SubmitDeps): NewTask {
  const { caller, model, submission, requestId, idempotency, webhookUrl } = request;
  const { groups, settings } = catalog.current();
  const factorPpm = groups.get(caller.group)?.factorPpm;
  if (model.price === null || factorPpm === undefined) throw unpriced(model.id);
  const price = { priceId: model.price.id, rates: model.price.media, factorPpm };
  return {
    id: `task-${randomText(24)}`,
    ...{ requestId, caller, model: model.id, action: submission.action, order: submission.order },
    ...{ units: submission.units, violation: submission.violation, price },
    deadlineMs: settings.taskDeadlineMinutes[submission.order.medium] * 60_000,
    holdNanos: holdOf(submission.units, price, model.id),
    ledgers: ledgersOf(caller, clock.nowMs()),
    idempotency: idempotency ?? null,
    webhookUrl: webhookUrl ?? null,
    mostWaiting: settings.queues.tasksPerModel,
  };
}

function holdOf(units: NewTask["units"], price: NewTask["price"], model: string): bigint {
  try {
    return mediaCharge(units, price);
  } catch (error) {
    if (error instanceof UnpricedError) throw unpriced(model);
    throw error;
  }
}

/** 429 while every place that could take the task has said 429 to us and has not had its pause yet. */
async function refuseSaturated({ caller, model, submission }: TaskRequest, deps: SubmitDeps): Promise<void> {
  const { store, catalog, apiOf } = deps;
  if (submission.order.family !== "videoa") return;
  const places = placesOf(catalog.current().serving(model.id, caller.group, "videos"), model.id, apiOf);
  if (places.length === 0) return;
  const coolings = await store.coolings();
  const waitMs = Math.min(...places.map(({ place }) => coolingMs(place, coolings)));
  if (waitMs > 0)
    throw saturated("Every upstream of this model is saturated", Math.max(1, Math.ceil(waitMs / 1000)));
}

function saturated(what: string, retryAfterSeconds: number): GatewayError {
  return new GatewayError(
    "upstream_saturated",
    `${what}; nothing was accepted or charged. Try again in ${retryAfterSeconds} s.`,
    { retryAfterSeconds },
  );
}

function unpriced(model: string): GatewayError {
  return new GatewayError(
    "model_not_priced",
    `Model ${model} has no price for what this request asks for, so it cannot be made.`,
  );
}

function insufficient(task: NewTask, ledger: string): GatewayError {
  const atMost = `This request may cost up to $${formatUsd(task.holdNanos)}`;
  return new GatewayError(
    "insufficient_user_quota",
    ledger === task.ledgers[0]?.id
      ? `${atMost}, which is more than the account's balance. Top up the account.`
      : `${atMost}, which is more than the API key's spending limit leaves. Use another key.`,
  );
}

function busy(): GatewayError {
  return new GatewayError(
    "balance_busy",
    `The account's money is held by running requests; none was free within ${MAX_WAIT_MS / 1000} s. Try again when some have finished.`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}
