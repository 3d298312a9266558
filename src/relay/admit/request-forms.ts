import type { Candidate } from "../../upstreams/call.ts";
import { compactsAt } from "../../upstreams/kinds.ts";
import type { MovedConversation } from "../../upstreams/memory/moved-conversations-store.ts";
import type { RelayModes } from "../mode/relay-modes.ts";
import type { TextRequest } from "../text-request.ts";
import type { ConversationState } from "./conversation-state.ts";

/** A request with the ways to its candidates and with what of its state they may read. */
export interface RequestForm {
  readonly request: TextRequest;
  readonly modes: RelayModes;
  readonly state: ConversationState;
}

/**
 * The forms in which a request's candidates are asked: as it came, or in the form that stands in for a call which not every
 * upstream has. Both are one request to the account: one hold, one settlement, one response.
 */
export class RequestForms {
  readonly #original: RequestForm;
  readonly #fallback: RequestForm | undefined = undefined;
  /** Upstreams that have refused the call itself. */
  #lacking: Set<bigint> | undefined;

  /** `formOf` is asked once for each form. */
  constructor(request: TextRequest, formOf: (request: TextRequest) => RequestForm) {
    this.#original = formOf(request);
    // Nearly every request has one form only and needs no second object.
    if (request.compactionFallback === undefined) return;
    const { compactionFallback, compacts: _, ...ordinary } = request;
    this.#fallback = formOf({ ...ordinary, ...compactionFallback, state: undefined });
  }

  at(candidate: Candidate): RequestForm {
    const { compacts } = this.#original.request;
    if (compacts === undefined || this.#fallback === undefined) return this.#original;
    const takes = compactsAt(candidate, compacts) && this.#lacking?.has(candidate.upstream.id) !== true;
    return takes ? this.#original : this.#fallback;
  }

  /** A candidate's upstream has refused the call itself. False: there is nothing else to ask it. */
  markUnsupported({ upstream }: Candidate): boolean {
    this.#lacking ??= new Set();
    this.#lacking.add(upstream.id);
    return this.#fallback !== undefined;
  }

  /** The request as it was received. */
  get original(): RequestForm {
    return this.#original;
  }

  get isStateCarried(): boolean {
    return this.#original.state.isCarried;
  }

  /** See ConversationState. */
  stateRefused(): void {
    this.#original.state.refused();
    this.#fallback?.state.refused();
  }

  findLate(moves: Parameters<ConversationState["findLate"]>[0]): Promise<MovedConversation | undefined> {
    return this.#original.state.findLate(moves);
  }

  relocate(moved: MovedConversation): void {
    this.#original.state.relocate(moved);
    this.#fallback?.state.relocate(moved);
  }

  dropState(): void {
    this.#original.state.dropState();
    this.#fallback?.state.dropState();
  }

  /** Call it when no candidate is left to be tried. */
  close(): void {
    this.#original.modes.close();
    this.#fallback?.modes.close();
  }
}
