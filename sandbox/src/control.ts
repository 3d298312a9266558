import type { ServerResponse } from "node:http";
import { isAbsent, isObject, type JsonObject, numberOf, objectOr, parseJson } from "./json.ts";
import { drained } from "./playback.ts";
import { sendJson } from "./reply.ts";
import { parseSettings } from "./scenario.ts";
import type { ScriptRule } from "./scripts.ts";
import { billedAnswers, EXPORT_FORMATS, type ModelPrices, writeExport } from "./vendor-export.ts";
import type { World } from "./world.ts";

export const CONTROL_PREFIX = "/_sandbox/";
const TASKS_PREFIX = `${CONTROL_PREFIX}tasks/`;

interface ControlRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  body: Buffer;
  response: ServerResponse;
}

/** The endpoints a test steers the sandbox with; answers 404 where none is meant. */
export async function serveControl(world: World, control: ControlRequest): Promise<void> {
  const { method, path, response } = control;
  if (method === "POST" && path.startsWith(TASKS_PREFIX)) return turnTask(world, control);
  switch (`${method} ${path.slice(CONTROL_PREFIX.length)}`) {
    case "GET journal":
      return sendJournal(world, control);
    case "POST export":
      return sendExport(world, control);
    case "GET status":
      return sendJson(response, 200, {
        name: world.name,
        ...world.counters,
        journaled: world.journal.last(),
        files_made: world.media.studio.made(),
      });
    case "GET script":
      return sendJson(response, 200, { rules: world.scripts.rules().map((rule) => ({ ...rule })) });
    case "POST script":
      return addScript(world, control);
    case "DELETE script":
      world.scripts.clear();
      return sendJson(response, 200, { ok: true });
    case "POST clock":
      return advanceClock(world, control);
    case "POST reset":
      world.reset();
      return sendJson(response, 200, { ok: true });
    default:
      return sendJson(response, 404, {
        error: { message: `The sandbox has no ${method} ${path}.`, code: "not_found" },
      });
  }
}

/** JSON lines, oldest first, no faster than the reader takes them. */
async function sendJournal(world: World, { query, response }: ControlRequest): Promise<void> {
  const after = Number(query.get("after") ?? 0);
  const limit = Number(query.get("limit") ?? Number.POSITIVE_INFINITY);
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  let sent = 0;
  for (const entry of world.journal.after(Number.isFinite(after) ? after : 0)) {
    if (sent >= limit || response.destroyed) break;
    sent += 1;
    if (response.write(`${JSON.stringify(entry)}\n`)) continue;
    await drained(response);
  }
  response.end();
}

/** Sends a vendor's bill for the responses in the request log, at the prices in the body. */
function sendExport(world: World, { body, response }: ControlRequest): void {
  const given = bodyOf(body);
  const format = EXPORT_FORMATS.find((each) => each === given["format"]);
  if (format === undefined) {
    sendBadRequest(response, `\`format\` must be one of ${EXPORT_FORMATS.join(", ")}`);
    return;
  }
  const prices = objectOr(given["prices"]);
  const priceOf = (model: string) => objectOr(prices[model]) as ModelPrices;
  const offsetHours = numberOf(given["offset_hours"]) ?? 0;
  const text = writeExport(format, billedAnswers(world.journal.after(0)), { priceOf, offsetHours });
  response.writeHead(200, { "content-type": "text/plain; charset=utf-8" });
  response.end(text);
}

function addScript(world: World, { body, response }: ControlRequest): void {
  const given = bodyOf(body);
  const directive = given["directive"];
  if (typeof directive !== "string") {
    sendBadRequest(response, "`directive` must be a string, as error=529 at=3");
    return;
  }
  const match = textFields(objectOr(given["match"]), ["method", "path", "model", "credential"]);
  const times = numberOf(given["times"]);
  world.scripts.add({ match, directive, ...(times === undefined ? {} : { times }) });
  sendJson(response, 200, { ok: true });
}

/** Gives a task or asset that runs another fate: the directive's settings over those it has. */
function turnTask(world: World, { path, body, response }: ControlRequest): void {
  const { tasks, assets } = world.media;
  const id = path.slice(TASKS_PREFIX.length);
  const found = tasks.get(id) ?? assets.get(id);
  const directive = bodyOf(body)["directive"];
  if (typeof directive !== "string") {
    sendBadRequest(response, "`directive` must be a string, as takes=0 fail=late");
    return;
  }
  if (found === undefined) {
    sendJson(response, 404, { error: { message: `There is no task or asset ${id}.`, code: "not_found" } });
    return;
  }
  const turned = parseSettings(directive);
  found.scenario = { ...found.scenario, ...turned };
  if (turned.polls !== undefined) found.polled = 0;
  sendJson(response, 200, { id, tag: found.scenario.tag ?? null });
}

function textFields(object: JsonObject, names: readonly (keyof ScriptRule["match"])[]): ScriptRule["match"] {
  const fields: ScriptRule["match"] = {};
  for (const name of names) if (!isAbsent(object[name])) fields[name] = String(object[name]);
  return fields;
}

function advanceClock(world: World, { body, response }: ControlRequest): void {
  const byMs = numberOf(bodyOf(body)["advance_ms"]);
  if (byMs === undefined) {
    sendBadRequest(response, "`advance_ms` must be a number of milliseconds");
    return;
  }
  world.clock.advance(byMs);
  sendJson(response, 200, { now_ms: world.clock.nowMs() });
}

function bodyOf(bytes: Buffer): JsonObject {
  const body = parseJson(bytes.toString("utf8"));
  return isObject(body) ? body : {};
}

function sendBadRequest(response: ServerResponse, message: string): void {
  sendJson(response, 400, { error: { message, code: "invalid_request" } });
}
