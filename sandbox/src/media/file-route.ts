import type { Call } from "../call.ts";
import { Refusal } from "../refusal.ts";
import { strikeBeforeHeaders } from "../reply.ts";
import type { World } from "../world.ts";
import { assetFileName, assetSpec } from "./asset.ts";
import type { FileSpec, MadeFile } from "./files/file-spec.ts";
import { lifeAt } from "./life.ts";
import { rangeOf } from "./range.ts";
import { refusing } from "./refusing.ts";
import { scriptedTurn } from "./scripted-turn.ts";
import { sendFile } from "./send-file.ts";
import { specOf, type Task, taskIdOf } from "./task.ts";
import type { Turn } from "./turns.ts";
import { assetErrors } from "./wire/errors.ts";

const TYPES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpeg: "image/jpeg",
  webp: "image/webp",
  mp4: "video/mp4",
  wav: "audio/wav",
};

const fileErrors = assetErrors("get");

/** GET and HEAD of a file: made now if it never was, whole or the range asked for. */
export async function serveFile(world: World, call: Call, name: string): Promise<void> {
  const { request, track } = call;
  const { range } = request.headers;
  track.media = { file: name, ...(range === undefined ? {} : { range }) };
  await refusing(call, fileErrors, async () => {
    const { spec, list, asked } = find(world, call, name);
    const { turn, scenario } = scriptedTurn(world, call, { id: name, list, asked });
    if (await strikeBeforeHeaders(call, scenario, fileErrors)) return;
    const file = await world.media.studio.make(spec);
    const type = TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream";
    await sendFile(call, scenario, bodyOf(file, turn), type, rangeOf(request.headers, file));
  });
}

function bodyOf(file: MadeFile, turn: Turn | undefined): MadeFile {
  return turn?.type === "nonsense" ? { ...file, bytes: Buffer.from(turn.body) } : file;
}

interface Found {
  spec: FileSpec;
  /** The responses to the file's fetches in turn, and the position of this one. */
  list: string | undefined;
  asked: number;
}

/** Finds the file's content, once the link is valid and the file exists. */
function find(world: World, call: Call, name: string): Found {
  const { links, tasks, assets, takesMs } = world.media;
  const nowMs = world.clock.nowMs();
  const link = links.check(name, call.query, nowMs);
  if (link === "forged") return refuseFile(403, "The link's signature is wrong.", "invalid_signature");
  if (link === "expired") return refuseFile(403, "The link has expired.", "link_expired");
  const id = taskIdOf(name);
  const asset = assets.get(id);
  if (asset !== undefined && assetFileName(asset) === name)
    return { spec: assetSpec(asset), list: undefined, asked: 1 };
  const task = tasks.get(id);
  const spec = task === undefined ? undefined : specOf(task, name);
  if (task === undefined || spec === undefined) return refuseFile(404, "There is no such file.", "not_found");
  if (lifeAt(nowMs, task.createdMs, task.scenario, takesMs).stage !== "SUCCESS" && !wasPromised(task))
    return refuseFile(404, "The file does not exist yet.", "not_found");
  noteTask(call, task);
  return { spec, list: task.scenario.files, asked: task.fetched };
}

/** A scenario that says SUCCESS too early gives links that must work. */
function wasPromised(task: Task): boolean {
  return task.scenario.polls?.includes("SUCCESS") === true;
}

function noteTask({ track, request }: Call, task: Task): void {
  track.model = task.order.model;
  track.tag = task.scenario.tag ?? null;
  track.responseId = task.id;
  if (track.media !== undefined) track.media.id = task.id;
  if (request.method === "GET") task.fetched += 1;
}

function refuseFile(status: number, message: string, code: string): never {
  throw new Refusal({ status, message, code });
}
