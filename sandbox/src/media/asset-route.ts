import type { Call } from "../call.ts";
import { newHexId } from "../ids.ts";
import type { MediaNote } from "../journal.ts";
import { isObject, type JsonObject, parseJson } from "../json.ts";
import { Refusal, refuse } from "../refusal.ts";
import { sendResponse, strikeBeforeHeaders } from "../reply.ts";
import { parseDirectives, withoutDirectives } from "../scenario.ts";
import type { World } from "../world.ts";
import { type Asset, type AssetType, assetFileName } from "./asset.ts";
import { journaledBody } from "./journaled-body.ts";
import { type Life, lifeAt } from "./life.ts";
import { originOf } from "./links.ts";
import { refusing } from "./refusing.ts";
import { scriptedTurn } from "./scripted-turn.ts";
import { assetErrors } from "./wire/errors.ts";

const FIELDS = ["url", "asset_type", "name"];
const TYPES: readonly AssetType[] = ["Image", "Video", "Audio"];
const MAX_NAME_CHARACTERS = 64;
/** The model an asset is for; scripts match it. */
const ASSET_MODEL = "videoa";
const LINK_SECONDS = 3_600;

const createErrors = assetErrors("create");
const readErrors = assetErrors("get");

/** POST /v1/videoa/asset/create. */
export async function serveAssetCreate(world: World, call: Call): Promise<void> {
  await refusing(call, createErrors, async () => {
    const body = parseJson(call.body.toString("utf8"));
    if (!isObject(body)) return refuse("The body is not a JSON object.", undefined, "invalid_request");
    call.track.model = ASSET_MODEL;
    const note: MediaNote = { body: journaledBody(body) };
    call.track.media = note;
    const { type, name } = decodeAsset(body);
    const traits = { ...call, model: ASSET_MODEL, digest: call.body.toString("latin1") };
    const scenario = world.scripts.scenarioFor(parseDirectives(name), traits);
    call.track.tag = scenario.tag ?? null;
    if (await strikeBeforeHeaders(call, scenario, createErrors)) return;
    if (scenario.moderation === "submit") refuseWith502("create", "The material was refused by moderation.");
    const asset: Asset = {
      id: newHexId("asset-", 24),
      account: call.fingerprint,
      type,
      name: withoutDirectives(name),
      createdMs: world.clock.nowMs(),
      scenario,
      polled: 0,
    };
    world.media.assets.set(asset.id, asset);
    call.track.responseId = asset.id;
    note.id = asset.id;
    const response = { success: true, result: { Id: asset.id, Status: "Pending" } };
    await sendResponse(call, scenario, JSON.stringify(response), { "x-request-id": newHexId("", 32) });
  });
}

/** GET /v1/videoa/asset/{id}. */
export async function serveAssetRead(world: World, call: Call, id: string): Promise<void> {
  await refusing(call, readErrors, async () => {
    const { track } = call;
    const note: MediaNote = { id };
    track.media = note;
    track.model = ASSET_MODEL;
    const asset = world.media.assets.get(id);
    if (asset === undefined || asset.account !== call.fingerprint)
      return refuseWith502("get", "The asset does not exist.");
    track.responseId = id;
    track.tag = asset.scenario.tag ?? null;
    asset.polled += 1;
    const said = { id, list: asset.scenario.polls, asked: asset.polled };
    const { turn, scenario } = scriptedTurn(world, call, said);
    if (turn?.type === "unknown") return refuseWith502("get", "The asset does not exist.");
    if (await strikeBeforeHeaders(call, scenario, readErrors)) return;
    const life = lifeAt(world.clock.nowMs(), asset.createdMs, asset.scenario, world.media.takesMs);
    const told = turn?.type === "status" ? turn.word : statusWord(life);
    note.told = told;
    const record = { success: true, result: encodeAsset(world, call, asset, told) };
    const body = turn?.type === "nonsense" ? turn.body : JSON.stringify(record);
    await sendResponse(call, scenario, body, { "x-request-id": newHexId("", 32) });
  });
}

function refuseWith502(action: "create" | "get", message: string): never {
  throw new Refusal({ status: 502, message, code: `seedance_asset_${action}_failed` });
}

/** Every field explicit: the type in its canonical case, the name no longer left to be guessed. */
function decodeAsset(body: JsonObject): { type: AssetType; name: string } {
  const { url, name } = body;
  if (typeof url !== "string" || !/^https?:\/\/[^\s/]+/.test(url))
    return refuse("url must begin http:// or https://", "url", "invalid_url");
  const type = TYPES.find((known) => known === body["asset_type"]);
  if (type === undefined)
    return refuse("asset_type must be Image, Video or Audio", "asset_type", "invalid_asset_type");
  if (typeof name !== "string" || name === "" || [...name].length > MAX_NAME_CHARACTERS)
    return refuse(`name must have 1 to ${MAX_NAME_CHARACTERS} characters`, "name", "invalid_asset_name");
  const extra = Object.keys(body).find((field) => !FIELDS.includes(field));
  if (extra !== undefined) return refuse(`${extra} is not a field of an asset`, extra, "unknown_field");
  return { type, name };
}

function statusWord({ stage }: Life): string {
  if (stage === "SUCCESS") return "Active";
  if (stage === "FAILURE") return "Failed";
  return stage === "IN_PROGRESS" ? "Processing" : "Pending";
}

function encodeAsset(world: World, call: Call, asset: Asset, told: string): JsonObject {
  const nowMs = world.clock.nowMs();
  const expires = Math.floor(nowMs / 1_000) + (asset.scenario.expiresSeconds ?? LINK_SECONDS);
  const life = lifeAt(nowMs, asset.createdMs, asset.scenario, world.media.takesMs);
  return {
    Id: asset.id,
    Status: told,
    AssetType: asset.type,
    Name: asset.name,
    URL: world.media.links.link(originOf(call.request), assetFileName(asset), expires),
    CreateTime: utc(asset.createdMs),
    UpdateTime: utc(life.endedMs ?? asset.createdMs),
    GroupId: `group-${asset.account ?? "anonymous"}`,
    ProjectName: "default",
    Moderation: { Strategy: "Default" },
  };
}

/** Whole seconds, as the vendor writes them. */
function utc(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}
