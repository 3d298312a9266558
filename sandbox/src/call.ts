import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { fingerprint, type MediaNote, type Outcome } from "./journal.ts";
import { createLru } from "./lru.ts";
import { nothingSent, type Sent } from "./playback.ts";
import type { ProtocolName } from "./prompt.ts";
import { NO_USAGE, type Usage } from "./usage.ts";
import type { World } from "./world.ts";

/** One request with its body read, and what is known of it for the journal. */
export interface Call {
  request: IncomingMessage;
  response: ServerResponse;
  /** Path without query. */
  path: string;
  query: URLSearchParams;
  body: Buffer;
  credential: string | undefined;
  fingerprint: string | null;
  track: Track;
}

/** Filled in while a request is answered, read once when it has ended. */
export interface Track {
  protocol: ProtocolName;
  model: string;
  stream: boolean;
  tag: string | null;
  responseId: string | null;
  sha256: string | undefined;
  refused: number | undefined;
  fault: string | undefined;
  sent: Sent;
  /** The facts that an image, video, asset or file adds to the request log. */
  media: MediaNote | undefined;
  /** The usage; `whole` says if the response ended in full. */
  usage: (whole: boolean) => Usage;
}

export function newTrack(protocol: ProtocolName): Track {
  return {
    protocol,
    model: "",
    stream: false,
    tag: null,
    responseId: null,
    sha256: undefined,
    refused: undefined,
    fault: undefined,
    sent: nothingSent(),
    media: undefined,
    usage: () => ({ ...NO_USAGE }),
  };
}

/** Writes the journal entry when the response has ended, in whichever way. */
export function journalWhenClosed(world: World, call: Omit<Call, "track">, track: Track): void {
  const at = world.clock.realMs();
  const { counters } = world;
  counters.open += 1;
  counters.peak = Math.max(counters.peak, counters.open);
  call.response.once("close", () => {
    counters.open -= 1;
    const whole = call.response.writableFinished;
    const outcome = outcomeOf(track, whole);
    const usage = track.usage(outcome === "completed" || outcome === "faulted:lost");
    world.journal.add({
      at,
      protocol: track.protocol,
      path: call.path,
      model: track.model,
      credential: call.fingerprint,
      rawHeaders: interned(call.request.rawHeaders),
      stream: track.stream,
      request: { sha256: track.sha256 ?? sha256(call.body), bytes: call.body.length },
      tag: track.tag,
      responseId: track.responseId,
      produced: {
        textLength: track.sent.textLength,
        tokens: usage.outputVisible + usage.outputReasoning,
        chunks: track.sent.chunks,
        bytes: track.sent.bytes,
      },
      usage,
      ...(track.media === undefined ? {} : { media: track.media }),
      outcome,
      status: call.response.headersSent ? call.response.statusCode : 0,
      closedAtMs: world.clock.realMs(),
    });
  });
}

function outcomeOf(track: Track, whole: boolean): Outcome {
  const fault = track.fault ?? track.sent.fault;
  if (fault !== undefined) return `faulted:${fault}`;
  if (!whole) return "aborted-by-client";
  return track.refused === undefined ? "completed" : `refused:${track.refused}`;
}

export function sha256(bytes: Buffer | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Clients repeat their headers: kept once, a long journal stays small and cheap to collect around. */
const headerLists = createLru<readonly string[]>(1_000);

function interned(rawHeaders: readonly string[]): readonly string[] {
  const key = rawHeaders.join("\n");
  const known = headerLists.get(key);
  if (known !== undefined) return known;
  headerLists.set(key, rawHeaders);
  return rawHeaders;
}

/** Credentials are few and repeat with every request. */
const fingerprints = createLru<string>(1_000);

export function fingerprintOf(credential: string | undefined): string | null {
  if (credential === undefined) return null;
  const known = fingerprints.get(credential);
  if (known !== undefined) return known;
  const made = fingerprint(credential);
  fingerprints.set(credential, made);
  return made;
}

/** The credential of a request, wherever a vendor's client puts it. */
export function credentialOf(request: IncomingMessage, query: URLSearchParams): string | undefined {
  const { authorization } = request.headers;
  if (authorization !== undefined) return authorization.replace(/^bearer\s+/i, "");
  for (const name of ["x-api-key", "x-goog-api-key", "api-key"]) {
    const value = request.headers[name];
    if (typeof value === "string") return value;
  }
  return query.get("key") ?? undefined;
}
