import { hash } from "node:crypto";
import type { BodyScan, FoundValue } from "../../base/json/json-scan.ts";
import type { Settings } from "../../catalog/catalog.ts";
import type { ForwardTable } from "../../protocols/protocol.ts";
import { type ConversationKey, conversationKey } from "../../routing/conversation.ts";
import type { TextRequest } from "../text-request.ts";

/** This much of the instructions and of the first user message tells conversations apart. */
const ANCHOR_BYTES = 1024;

/** Fields that name a conversation. Ids of people (`user`, `safety_identifier`) do not: one person has many. */
const SESSION_FIELDS = ["metadata.user_id", "prompt_cache_key", "session_id"] as const;

/** All that a scan must find of a body so that its conversation can be told. */
export function conversationPaths({ opening }: Pick<ForwardTable, "opening">): readonly string[] {
  if (opening === null) return SESSION_FIELDS;
  return [...SESSION_FIELDS, ...opening.system, opening.role, ...opening.texts];
}

/** Makes keys of conversations under a secret that all processes of an installation share. */
export class ConversationKeys {
  readonly #secret: Buffer;

  constructor(secret: Buffer) {
    this.#secret = secret;
  }

  /**
   * The conversation that a request belongs to, by what its client calls it, else by how it begins; undefined where neither
   * can be told. Keys of different accounts and models never meet.
   */
  of(request: TextRequest, settings: Pick<Settings, "affinity">): ConversationKey | undefined {
    const session = settings.affinity === "anchor" ? undefined : sessionOf(request);
    const named = session === undefined ? anchorOf(request) : [Buffer.from(session)];
    if (named === undefined) return undefined;
    const { caller, model } = request;
    const head = Buffer.from(`${caller.accountId} ${session === undefined ? "a" : "s"} ${model}\0`);
    // In one call, which costs a fifth of an HMAC. Whoever does not know the secret can extend no key: half of it is cut off.
    return conversationKey(hash("sha256", Buffer.concat([this.#secret, head, ...named])));
  }
}

function sessionOf({ scan, session }: TextRequest): string | undefined {
  for (const field of SESSION_FIELDS) {
    const found = scan.last(field)?.value;
    if (typeof found !== "string") continue;
    const id = field === "metadata.user_id" ? sessionOfUser(found) : found;
    if (id !== undefined && id !== "") return id;
  }
  return session;
}

/**
 * Claude Code names its session within the id of its user: `user_<hash>_account_<id>_session_<uuid>`, since 2.1.78 JSON text
 * with a `session_id`.
 */
function sessionOfUser(id: string): string | undefined {
  return SESSION_OF_USER.exec(id)?.[1];
}

const SESSION_OF_USER = /(?:_session_|"session_id"\s*:\s*")([\w-]{8,100})(?:"|$)/;

/** The first words of the instructions and of the user, as they stand in the body; cache marks are none of them. */
function anchorOf({ protocol, scan, body }: TextRequest): readonly Buffer[] | undefined {
  const { opening } = protocol.forward;
  if (opening === null) return undefined;
  const roles = scan.all(opening.role);
  const texts: FoundValue[] = [];
  for (const path of opening.texts) for (const text of scan.all(path)) if (isText(text)) texts.push(text);
  if (texts.length > 1 && opening.texts.length > 1) texts.sort((a, b) => a.start - b.start);
  const system = new Taking(body);
  const user = new Taking(body);
  for (const path of opening.system) for (const text of scan.all(path)) system.take(text);
  let message = -1;
  for (const text of texts) {
    const role = roleAt(roles, text);
    const owner = role?.parent ?? 0;
    // Text after the first user message is missing in the first turn.
    if (message !== -1 && owner !== message) break;
    if (role?.value === "system" || role?.value === "developer") system.take(text);
    else if (role === undefined || role.value === "user") {
      message = owner;
      user.take(text);
    }
  }
  if (user.pieces.length === 0) return undefined;
  return [...system.pieces, SEPARATOR, ...user.pieces];
}

const SEPARATOR = Buffer.from([0]);

function isText({ type }: FoundValue): boolean {
  return type === "string";
}

/** The role of the message in which a value stands. */
function roleAt(roles: ReturnType<BodyScan["all"]>, { start }: FoundValue): FoundValue | undefined {
  return roles.findLast(({ parent }) => parent < start);
}

/** The first bytes of several strings. */
class Taking {
  readonly pieces: Buffer[] = [];
  readonly #body: readonly Buffer[];
  #left = ANCHOR_BYTES;

  constructor(body: readonly Buffer[]) {
    this.#body = body;
  }

  take({ type, start, end }: FoundValue): void {
    if (type !== "string" || this.#left === 0) return;
    let from = start + 1;
    const to = Math.min(end - 1, from + this.#left);
    let offset = 0;
    for (const chunk of this.#body) {
      if (from >= to) break;
      if (from < offset + chunk.length) {
        const piece = chunk.subarray(from - offset, to - offset);
        this.pieces.push(piece);
        this.#left -= piece.length;
        from += piece.length;
      }
      offset += chunk.length;
    }
  }
}
