import type { Call } from "../call.ts";
import { newHexId } from "../ids.ts";
import type { MediaNote } from "../journal.ts";
import { isAbsent, isObject, type JsonObject, parseJson } from "../json.ts";
import { Refusal, refuse } from "../refusal.ts";
import { sendResponse, strikeBeforeHeaders } from "../reply.ts";
import { parseDirectives, withoutDirectives } from "../scenario.ts";
import { bareNumbers } from "../usage-fault.ts";
import type { World } from "../world.ts";
import { settledOrder } from "./adaptive.ts";
import { journaledBody } from "./journaled-body.ts";
import { type Life, lifeAt } from "./life.ts";
import { originOf } from "./links.ts";
import { FAMILIES, type Family, type MediaOrder } from "./order.ts";
import { refusing } from "./refusing.ts";
import { scriptedTurn } from "./scripted-turn.ts";
import { expiryOf, fileNames, newTask, type Task } from "./task.ts";
import { taskErrors } from "./wire/errors.ts";
import { decodeImagegen } from "./wire/imagegen.ts";
import {
  encodeImageSubmit,
  encodeImageTask,
  encodeVideoSubmit,
  encodeVideoTask,
  type ResultLinks,
} from "./wire/records.ts";
import { decodeVideoa } from "./wire/videoa.ts";
import { decodeVideob } from "./wire/videob.ts";
import { decodeVideoc } from "./wire/videoc.ts";

export type Medium = "image" | "video";

const DECODERS: Readonly<Record<Family, (body: JsonObject) => MediaOrder>> = {
  imagegen: decodeImagegen,
  videoa: decodeVideoa,
  videob: decodeVideob,
  videoc: decodeVideoc,
};

const REQUEST_ID = "x-request-id";

/** POST of an image or video: a task, unless something is wrong or scripted to be. */
export async function serveSubmit(world: World, call: Call, medium: Medium): Promise<void> {
  await refusing(call, taskErrors, async () => {
    const note: MediaNote = {};
    call.track.media = note;
    const order = decodeOrder(call, medium, note);
    checkAssets(world, call, order);
    const own = parseDirectives(order.prompt);
    const scenario = world.scripts.scenarioFor(own, { ...call, model: order.model, digest: order.prompt });
    call.track.tag = scenario.tag ?? null;
    if (await strikeBeforeHeaders(call, scenario, taskErrors)) return;
    if (scenario.moderation === "submit")
      refuse("The order was refused by content moderation.", "prompt", "moderation_refused");
    const task = newTask({
      id: newHexId("task_", 32),
      account: call.fingerprint,
      order: settledOrder(
        { ...order, prompt: withoutDirectives(order.prompt) },
        (id) => world.media.tasks.get(id)?.order.size,
      ),
      createdMs: world.clock.nowMs(),
      scenario,
    });
    world.media.tasks.set(task.id, task);
    call.track.responseId = task.id;
    note.id = task.id;
    const response = medium === "image" ? encodeImageSubmit(task) : encodeVideoSubmit(task);
    await sendResponse(call, scenario, JSON.stringify(response), { [REQUEST_ID]: newHexId("", 32) });
  });
}

/** GET of a task: its record, or whatever its scenario says in turn. */
export async function servePoll(world: World, call: Call, medium: Medium, id: string): Promise<void> {
  await refusing(call, taskErrors, async () => {
    const note: MediaNote = { id };
    call.track.media = note;
    const task = world.media.tasks.get(id);
    if (task === undefined || task.account !== call.fingerprint || task.order.medium !== medium)
      return refuseUnknown();
    const { track } = call;
    track.responseId = id;
    track.model = task.order.model;
    track.tag = task.scenario.tag ?? null;
    task.polled += 1;
    const said = { id, list: task.scenario.polls, asked: task.polled };
    const { turn, scenario } = scriptedTurn(world, call, said);
    if (turn?.type === "unknown") return refuseUnknown();
    if (await strikeBeforeHeaders(call, scenario, taskErrors)) return;
    const life = lifeAt(world.clock.nowMs(), task.createdMs, task.scenario, world.media.takesMs);
    const told = turn?.type === "status" ? turn.word : statusWord(life, medium);
    note.told = told;
    const record = encodeTask(task, life, told, resultLinks(world, call, task, life));
    const body =
      turn?.type === "nonsense" ? turn.body : bareNumbers(JSON.stringify(record), task.scenario.usage);
    await sendResponse(call, scenario, body, { [REQUEST_ID]: newHexId("", 32) });
  });
}

function refuseUnknown(): never {
  return refuse("task_not_exist", undefined, "task_not_exist");
}

/** Notes what was asked before it is judged, so that the journal shows refused bodies too. */
function decodeOrder(call: Call, medium: Medium, note: MediaNote): MediaOrder {
  const body = parseJson(call.body.toString("utf8"));
  if (!isObject(body)) return refuse("The body is not a JSON object.", undefined, "invalid_request");
  note.body = journaledBody(body);
  const { model } = body;
  if (isAbsent(model) || model === "") return refuse("model is missing", "model", "missing_model");
  if (typeof model !== "string") return refuse("model must be a text", "model", "invalid_request");
  call.track.model = model;
  const family = FAMILIES.find((known) => model.startsWith(known));
  if (family === undefined || (family === "imagegen") !== (medium === "image")) {
    const message = `There is no model ${model} that makes a${medium === "image" ? "n image" : " video"}.`;
    throw new Refusal({ status: 404, message, param: "model", code: "model_not_found" });
  }
  return DECODERS[family](body);
}

/** `asset://` ids must be Active ones of the same account, which a gateway knows before it asks. */
function checkAssets(world: World, call: Call, order: MediaOrder): void {
  for (const reference of order.references) {
    if (!reference.startsWith("asset://")) continue;
    const asset = world.media.assets.get(reference.slice("asset://".length));
    if (asset === undefined || asset.account !== call.fingerprint)
      refuse(`content names ${reference}, which does not exist`, "content", "invalid_request");
    else if (
      lifeAt(world.clock.nowMs(), asset.createdMs, asset.scenario, world.media.takesMs).stage !== "SUCCESS"
    )
      refuse(`content names ${reference}, which is not Active`, "content", "invalid_request");
  }
}

function statusWord({ stage }: Life, medium: Medium): string {
  return stage === "FAILURE" && medium === "image" ? "FAILED" : stage;
}

function encodeTask(task: Task, life: Life, told: string, links: ResultLinks): JsonObject {
  return task.order.medium === "image"
    ? encodeImageTask(task, life, told, links)
    : encodeVideoTask(task, life, told, links);
}

function resultLinks(world: World, call: Call, task: Task, life: Life): ResultLinks {
  const { links } = world.media;
  const origin = originOf(call.request);
  const expiresSeconds = expiryOf(task, life.endedMs ?? world.clock.nowMs());
  const names = fileNames(task);
  return {
    result: links.link(origin, names.result, expiresSeconds),
    lastFrame: links.link(origin, names.lastFrame, expiresSeconds),
    expiresSeconds,
  };
}
