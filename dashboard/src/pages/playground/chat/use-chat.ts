import { useEffect, useRef, useState } from "react";
import { ApiError } from "../../../api/api-error.ts";
import { callPublic } from "../public-api.ts";
import type { Answer, AssistantTurn, ChatRequest, ProtocolName, Turn, UserTurn } from "./conversation.ts";
import { PROTOCOLS } from "./protocols.ts";
import { serverEvents } from "./server-events.ts";

/** What is known of a response beside what it says. */
export interface About {
  /** By which its receipt is found. */
  readonly requestId: string;
  readonly firstMs: number | null;
  readonly totalMs: number | null;
}

export interface Chat {
  readonly turns: readonly Turn[];
  /** Of each response. */
  readonly about: ReadonlyMap<AssistantTurn, About>;
  readonly running: boolean;
  /** Why the last request failed; undefined = it did not. */
  readonly error: unknown;
  /** Asks; false = nothing came of it, and the turn is not kept. */
  send(turn: UserTurn, protocol: ProtocolName, request: Omit<ChatRequest, "turns">): Promise<boolean>;
  stop(): void;
  clear(): void;
}

/** How often a page that is written to is drawn. */
const DRAW_MS = 50;

/** A conversation whose responses stream in. */
export function useChat(account: string): Chat {
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [about, setAbout] = useState<ReadonlyMap<AssistantTurn, About>>(new Map());
  const [running, setRunning] = useState(false);
  const [error, setError] = useState<unknown>();
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);

  const send: Chat["send"] = async (turn, protocol, request) => {
    const before = turns;
    const asked = [...before, turn];
    const stopping = new AbortController();
    abort.current = stopping;
    setError(undefined);
    setRunning(true);
    const draw = (answer: Answer): void => {
      if (abort.current === stopping) setTurns([...asked, { role: "assistant", protocol, answer }]);
    };
    draw(NOTHING);
    const exchange = startExchange(account, protocol, { ...request, turns: asked }, stopping.signal, draw);
    try {
      await exchange.ended;
    } catch (failure) {
      if (!stopping.signal.aborted) setError(failure);
    }
    // Begun anew meanwhile.
    if (abort.current !== stopping) return true;
    setRunning(false);
    const answered = keptTurn(protocol, exchange.answer(), stopping.signal.aborted);
    if (answered === undefined) {
      setTurns(before);
      return false;
    }
    setTurns([...asked, answered]);
    setAbout((known) => new Map([...known, [answered, exchange.about()]]));
    return true;
  };

  return {
    turns,
    about,
    running,
    error,
    send,
    stop: () => abort.current?.abort(),
    clear() {
      abort.current?.abort();
      abort.current = undefined;
      setRunning(false);
      setTurns([]);
      setAbout(new Map());
      setError(undefined);
    },
  };
}

const NOTHING: Answer = { text: "", thinking: "", calls: [], finish: "", problem: undefined, echo: [] };

/** A response that ended is kept as it is; of one that broke off the text, as calls were cut and cannot be answered. */
function keptTurn(protocol: ProtocolName, answer: Answer, stopped: boolean): AssistantTurn | undefined {
  const broke = stopped || answer.problem !== undefined || answer.finish === "";
  if (!broke) return { role: "assistant", protocol, answer };
  if (answer.text === "") return undefined;
  const cut = stopped ? "stopped" : "broken";
  return { role: "assistant", protocol: "none", cut, answer: { ...answer, calls: [], echo: [] } };
}

/** One request under way. */
function startExchange(
  account: string,
  name: ProtocolName,
  request: ChatRequest,
  signal: AbortSignal,
  draw: (answer: Answer) => void,
) {
  const { path, body, read } = PROTOCOLS[name];
  const reader = read();
  const beganMs = performance.now();
  let requestId = "";
  let firstMs: number | null = null;
  let totalMs: number | null = null;
  const run = async (): Promise<void> => {
    const response = await callPublic(account, path(request.model), { body: body(request), signal });
    requestId = response.headers.get("x-request-id") ?? "";
    if (response.body === null) return;
    let drawnMs = 0;
    for await (const event of serverEvents(response.body)) {
      reader.take(event);
      const nowMs = performance.now();
      const { text, thinking, calls } = reader.answer();
      if (text !== "" || thinking !== "" || calls.length > 0) firstMs ??= nowMs - beganMs;
      if (nowMs - drawnMs < DRAW_MS) continue;
      drawnMs = nowMs;
      draw(reader.answer());
    }
    const { problem } = reader.answer();
    if (problem !== undefined)
      throw new ApiError(problem.message, {
        status: response.status,
        code: problem.code,
        param: "",
        requestId,
      });
  };
  return {
    ended: run().finally(() => {
      totalMs = performance.now() - beganMs;
    }),
    answer: reader.answer,
    about: (): About => ({ requestId, firstMs, totalMs }),
  };
}
