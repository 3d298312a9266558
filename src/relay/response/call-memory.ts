import { callKey, callsWithoutState, withCallStates } from "../../conversation/adapt/calls-with-state.ts";
import type { ChatProtocol } from "../../conversation/protocol-name.ts";
import type { ChatRequest } from "../../conversation/request.ts";
import { opaqueFor, unwrapOpaque } from "../../conversation/state/opaque.ts";
import type { OnCall } from "../../protocols/translation.ts";
import type { CallStates, KnownStates } from "../../upstreams/memory/call-states.ts";
import type { TextRequest } from "../text-request.ts";

/** The latest calls that are looked up; vendors want the state of the turn under way, and agents call a hundred times. */
const MAX_CALLS = 200;

/**
 * Keeps the state of calls, and gives it back to a request whose calls came back without any. Only in protocols whose
 * clients drop it: those of the others keep what they are sent.
 */
export class CallMemory {
  private readonly states: CallStates;
  private readonly accountId: bigint;
  private readonly protocol: ChatProtocol;
  private found: Promise<ChatRequest> | ChatRequest | undefined;

  static of(states: CallStates, { protocol, caller }: TextRequest): CallMemory | undefined {
    const capabilities = protocol.translation?.capabilities;
    if (capabilities?.forgetsCallState !== true) return undefined;
    return new CallMemory(states, caller.accountId, capabilities.protocol);
  }

  private constructor(states: CallStates, accountId: bigint, protocol: ChatProtocol) {
    this.protocol = protocol;
    this.states = states;
    this.accountId = accountId;
  }

  readonly keepState: OnCall = (call) => {
    this.states.remember(this.accountId, callKey(call), opaqueFor(this.protocol, call.opaque));
  };

  /** The request with the state of its calls; looked up once, however many candidates need it. */
  restore(request: ChatRequest): Promise<ChatRequest> | ChatRequest {
    this.found ??= this.lookUp(request);
    return this.found;
  }

  private lookUp(request: ChatRequest): Promise<ChatRequest> | ChatRequest {
    const calls = callsWithoutState(request, MAX_CALLS);
    if (calls.length === 0) return request;
    const known = this.states.find(this.accountId, calls.map(callKey));
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
