import type { Caller } from "../../accounts/caller.ts";
import type { Catalog, PlacedUpstream } from "../../catalog/catalog.ts";
import type { ProtocolName } from "../../conversation/protocol-name.ts";
import { GatewayError } from "../../errors.ts";
import { asObject, type JsonObject, parseLoosely, withPlainLetters } from "../../protocols/json.ts";
import type { Protocol } from "../../protocols/protocol.ts";
import type { ResponseRoom, Transport, UpstreamCall } from "../../upstreams/call.ts";
import { kindOf } from "../../upstreams/kinds.ts";
import type { IssuedIds } from "../../upstreams/memory/issued-ids.ts";
import { scrubberOf } from "../../upstreams/scrub/scrubber.ts";
import { openSecretFilter, sentSecrets } from "../../upstreams/scrub/sent-secrets.ts";
import { encodeSegment } from "../../upstreams/transport/endpoint-url.ts";
import { failureOfError, failureOfTransport, scrubbedError, tooLargeResponse } from "../failures.ts";
import { PLAIN_RESPONSE_BYTES } from "./buffered-response.ts";
import { isLarge, type ResponseMemory, type ResponsePart } from "./response-memory.ts";

/** A request for a response that an upstream stores. */
export interface StoredAsk {
  readonly requestId: string;
  /** One whose vendors keep responses. */
  readonly protocol: Protocol;
  readonly caller: Caller;
  readonly id: string;
  readonly method: "GET" | "POST" | "DELETE";
  /** The path after the id: "", "/input_items" or "/cancel". */
  readonly below: string;
  /** Without its question mark; "" = none. */
  readonly query: string;
}

export interface StoredResponses {
  /** The vendor's response, as large as one that is given anew. Rejects with GatewayError (404: not this account's) or UpstreamRejection. */
  ask(ask: StoredAsk): Promise<StoredResponse>;
}

export interface StoredResponse {
  readonly body: Uint8Array;
  /** Call it once the response was read or never will be. */
  release(): void;
}

export interface StoredResponsesDeps {
  readonly catalog: { current(): Catalog };
  readonly transport: Pick<Transport, "ask">;
  readonly issuedIds: Pick<IssuedIds, "find">;
  readonly responseMemory: ResponseMemory;
}

/** A look into the vendor's database. */
const MAX_MS = 30_000;

/** Asks for a stored response at the upstream, and with the credential, that made it; nobody else's account is told of it. */
export function createStoredResponses(deps: StoredResponsesDeps): StoredResponses {
  return {
    async ask({ requestId, protocol, caller, id, method, below, query }) {
      const catalog = deps.catalog.current();
      const owner = (await deps.issuedIds.find(caller.accountId, [id])).get(id);
      const place =
        owner === undefined || owner === "other"
          ? undefined
          : catalog.placed(owner.upstreamId, owner.credentialId);
      const path = place && pathAt(place, protocol.name, caller.group);
      if (place === undefined || path === undefined) throw unknown(id);
      const { upstream, credential } = place;
      const room = new StoredRoom(deps.responseMemory, caller.accountId);
      const outcome = await deps.transport.ask({
        upstream,
        credential,
        requestId,
        room,
        request: {
          method,
          path: `${path}/${encodeSegment(id)}${below}${query && `?${query}`}`,
          mostMs: MAX_MS,
          json: method === "POST" ? {} : undefined,
        },
      });
      const isResponse =
        outcome.type === "answered" && outcome.response.status >= 200 && outcome.response.status < 300;
      if (!isResponse) room.release();
      if (outcome.type === "failed")
        throw room.isFull ? tooLargeResponse(upstream.name).error : failureOfTransport(outcome.failure).error;
      const { status, headers, body } = outcome.response;
      if (isResponse) return { body: scrubbedBody(body, catalog, place), release: () => room.release() };
      if (status === 404) throw unknown(id);
      const error = scrubbedError(protocol.decodeError(status, headers, body), scrubberOf(catalog));
      throw failureOfError(error, protocol.name, upstream.name).error;
    },
  };
}

/** Collects a response within the memory of plain responses: what was paid for and kept is read whole, images and all. */
class StoredRoom implements ResponseRoom {
  isFull = false;
  readonly #memory: ResponseMemory;
  readonly #accountId: bigint;
  #part: ResponsePart | undefined;

  constructor(memory: ResponseMemory, accountId: bigint) {
    this.#memory = memory;
    this.#accountId = accountId;
  }

  holds(bytes: number, call: Pick<UpstreamCall, "pause" | "resume">): boolean {
    this.isFull = bytes > PLAIN_RESPONSE_BYTES;
    if (this.isFull) return false;
    if (isLarge(bytes)) {
      this.#part ??= this.#memory.open(this.#accountId, call);
      this.#part.holds(bytes);
    }
    return true;
  }

  release(): void {
    this.#part?.release();
  }
}

/** The candidate that stores the response; undefined = none that this group may use, or none any more. */
function pathAt({ upstream }: PlacedUpstream, protocol: ProtocolName, group: string): string | undefined {
  const isOpen = upstream.groups === null || upstream.groups.has(group);
  return isOpen && upstream.protocols.includes(protocol) ? kindOf(upstream.kind)?.paths[protocol] : undefined;
}

/** Returns the body without our credential and without a failed response's details of the operator's account. */
function scrubbedBody(body: Uint8Array, catalog: Catalog, place: PlacedUpstream): Uint8Array {
  const pieces = openSecretFilter(sentSecrets(place)).without([withoutWords(body, catalog)]);
  return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
}

function withoutWords(body: Uint8Array, catalog: Catalog): Uint8Array {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  // Nearly every response has `"error": null`; only a body with an error object is worth parsing.
  if (!ERROR_OBJECT.test(withPlainLetters(text.toString("latin1")))) return body;
  const response = asObject(parseLoosely(text.toString("utf8"))) ?? ({} as JsonObject);
  if (asObject(response["error"]) === undefined) return body;
  return Buffer.from(JSON.stringify({ ...response, error: scrubberOf(catalog).value(response["error"]) }));
}

const ERROR_OBJECT = /"error"\s*:\s*\{/;

function unknown(id: string): GatewayError {
  return new GatewayError("not_found", `No response '${id.slice(0, 100)}' found in this account.`, {
    param: "response_id",
  });
}
