import { opaqueFor, unwrapOpaque } from "../conversation/opaque.ts";
import type { ChatRequest } from "../conversation/request.ts";
import { callName, callsWithoutState, withCallStates } from "../conversation/stated-calls.ts";
import type { TellCall } from "../protocols/translation.ts";
import type { CallStates, KnownStates } from "../upstreams/call-states.ts";
import type { TextRequest } from "./text-request.ts";

/** The latest calls that are looked up; vendors want the state of the turn under way, and agents call a hundred times. */
const MAX_CALLS = 200;

/**
 * Keeps the state of a chat's calls, and gives it back to a request whose calls came back without any. Only for chats:
 * clients of the other protocols keep what they are sent.
 */
export class CallMemory {
  private readonly states: CallStates;
  private readonly accountId: bigint;
  private found: Promise<ChatRequest> | ChatRequest | undefined;

  static of(states: CallStates, { protocol, caller }: TextRequest): CallMemory | undefined {
    return protocol.name === "chat-completions" ? new CallMemory(states, caller.accountId) : undefined;
  }

  private constructor(states: CallStates, accountId: bigint) {
    this.states = states;
    this.accountId = accountId;
  }

  readonly tell: TellCall = (call) => {
    this.states.remember(this.accountId, callName(call), opaqueFor("chat-completions", call.opaque));
  };

  /** The request with the state of its calls; looked up once, however many candidates need it. */
  restore(request: ChatRequest): Promise<ChatRequest> | ChatRequest {
    this.found ??= this.look(request);
    return this.found;
  }

  private look(request: ChatRequest): Promise<ChatRequest> | ChatRequest {
    const calls = callsWithoutState(request, MAX_CALLS);
    if (calls.length === 0) return request;
    const known = this.states.find(this.accountId, calls.map(callName));
    return known instanceof Promise
      ? known.then((states) => restored(request, states))
      : restored(request, known);
  }
}

function restored(request: ChatRequest, states: KnownStates): ChatRequest {
  const opaques = [...states].flatMap(([call, word]) => {
    const opaque = unwrapOpaque(word);
    return opaque === undefined ? [] : [[call, opaque] as const];
  });
  return withCallStates(request, new Map(opaques));
}
