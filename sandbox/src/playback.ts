import type { ServerResponse } from "node:http";
import type { Frame } from "./exchange.ts";
import type { Scenario } from "./scenario.ts";
import { countTokens } from "./tokens.ts";

const LONG_PIECE = 4_096;
/** A reader on libuv that finds data and RST in one poll takes it for an ordinary end: they are kept apart. */
const RESET_GAP_MS = 20;

/** The bytes that left the sandbox; the request log counts from them. */
export interface Sent {
  frames: number;
  chunks: number;
  bytes: number;
  textLength: number;
  /** Content sent, by kind: its tokens are counted only when a response did not end whole. */
  visible: string;
  reasoning: string;
  /** Tokens of long pieces (floods), counted one by one so that their text need not be kept. */
  longTokens: number;
  fault: string | undefined;
}

export function nothingSent(): Sent {
  return {
    frames: 0,
    chunks: 0,
    bytes: 0,
    textLength: 0,
    visible: "",
    reasoning: "",
    longTokens: 0,
    fault: undefined,
  };
}

export type StreamFaults = Pick<Scenario, "error" | "at" | "stall" | "cut" | "cutBytes" | "reset" | "paceMs">;

/**
 * Writes a stream frame by frame, one write each, at the pace asked, never faster than the reader
 * takes it, and with the faults asked. Returns when the stream has ended, stalled or been closed.
 */
export async function playStream(
  response: ServerResponse,
  frames: Iterable<Frame>,
  faults: StreamFaults,
  sent: Sent,
  errorFrame: (sentFrames: number) => string | Buffer,
): Promise<void> {
  for (const frame of frames) {
    if (response.destroyed) return;
    const broken = faultAfter(faults, sent.chunks);
    if (broken !== undefined) return breakOff(response, broken, faults, sent, errorFrame);
    if (frame.content !== undefined && sent.chunks > 0 && faults.paceMs) await pause(response, faults.paceMs);
    if (faults.cutBytes !== undefined && sent.bytes + Buffer.byteLength(frame.bytes) > faults.cutBytes) {
      return cutInside(response, frame.bytes, faults.cutBytes - sent.bytes, faults, sent);
    }
    const room = response.write(frame.bytes);
    countFrame(sent, frame);
    if (!room) await drained(response);
  }
  response.end();
}

type Break = "error" | "stall" | "cut";

/** The fault that strikes once `chunks` chunks have gone; those before the headers struck earlier. */
function faultAfter(faults: StreamFaults, chunks: number): Break | undefined {
  if (faults.stall !== undefined && chunks >= faults.stall) return "stall";
  if (faults.cut !== undefined && chunks >= faults.cut) return "cut";
  if (faults.error !== undefined && faults.at !== undefined && chunks >= faults.at) return "error";
  return undefined;
}

async function breakOff(
  response: ServerResponse,
  kind: Break,
  faults: StreamFaults,
  sent: Sent,
  errorFrame: (sentFrames: number) => string | Buffer,
): Promise<void> {
  sent.fault = kind === "error" ? `error-${faults.error}` : kind;
  // A stalled socket stays open until the reader gives up.
  if (kind === "stall") return closed(response);
  if (kind === "cut") return destroySocket(response, faults.reset === true);
  const bytes = errorFrame(sent.frames);
  sent.bytes += Buffer.byteLength(bytes);
  response.end(bytes);
}

async function cutInside(
  response: ServerResponse,
  bytes: string | Buffer,
  keep: number,
  faults: StreamFaults,
  sent: Sent,
): Promise<void> {
  sent.fault = "cut_bytes";
  const kept = (typeof bytes === "string" ? Buffer.from(bytes) : bytes).subarray(0, Math.max(0, keep));
  sent.bytes += kept.length;
  await new Promise<void>((resolve) => response.write(kept, () => resolve()));
  return destroySocket(response, faults.reset === true);
}

function countFrame(sent: Sent, frame: Frame): void {
  sent.frames += 1;
  sent.bytes += Buffer.byteLength(frame.bytes);
  if (frame.content === undefined) return;
  sent.chunks += 1;
  sent.textLength += frame.content.length;
  if (frame.content.length > LONG_PIECE) sent.longTokens += countTokens(frame.content);
  else if (frame.thought) sent.reasoning += frame.content;
  else sent.visible += frame.content;
}

/** Destroys the connection once everything written has reached the kernel. */
export async function destroySocket(response: ServerResponse, withReset: boolean): Promise<void> {
  if (response.headersSent) await flushed(response);
  if (response.headersSent && withReset) await pause(response, RESET_GAP_MS);
  const socket = response.socket;
  if (withReset) socket?.resetAndDestroy();
  else socket?.destroy();
}

async function flushed(response: ServerResponse): Promise<void> {
  if (response.destroyed) return;
  await new Promise<void>((resolve) => {
    response.once("close", resolve);
    response.socket?.write("", () => resolve());
  });
}

/** Waits, but not for a reader that has gone. */
export async function pause(response: ServerResponse, ms: number): Promise<void> {
  if (ms <= 0 || response.destroyed) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      response.off("close", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    response.once("close", done);
  });
}

/** Resolves when the reader has taken what was written, or has gone. */
export function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
  });
}

/** Resolves when the connection is gone. */
export function closed(response: ServerResponse): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => response.once("close", () => resolve()));
}
