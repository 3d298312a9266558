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
  readonly #asked: RequestForm;
  readonly #instead: RequestForm | undefined = undefined;
  /** Upstreams that have refused the call itself. */
  #lacking: Set<bigint> | undefined;

  /** `formOf` is asked once for each form. */
  constructor(request: TextRequest, formOf: (request: TextRequest) => RequestForm) {
    this.#asked = formOf(request);
    // Nearly every request is asked as it came, and costs no second object.
    if (request.instead === undefined) return;
    const { instead, compacts: _, ...ordinary } = request;
    this.#instead = formOf({ ...ordinary, ...instead, state: undefined });
  }

  at(candidate: Candidate): RequestForm {
    const { compacts } = this.#asked.request;
    if (compacts === undefined || this.#instead === undefined) return this.#asked;
    const takes = compactsAt(candidate, compacts) && this.#lacking?.has(candidate.upstream.id) !== true;
    return takes ? this.#asked : this.#instead;
  }

  /** A candidate's upstream has refused the call itself. False: there is nothing else to ask it. */
  lacksCall({ upstream }: Candidate): boolean {
    this.#lacking ??= new Set();
    this.#lacking.add(upstream.id);
    return this.#instead !== undefined;
  }

  /** As it came. */
  get first(): RequestForm {
    return this.#asked;
  }

  get isStateCarried(): boolean {
    return this.#asked.state.isCarried;
  }

  /** See ConversationState. */
  stateRefused(): void {
    this.#asked.state.refused();
    this.#instead?.state.refused();
  }

  findLate(moves: Parameters<ConversationState["findLate"]>[0]): Promise<MovedConversation | undefined> {
    return this.#asked.state.findLate(moves);
  }

  relocate(moved: MovedConversation): void {
    this.#asked.state.relocate(moved);
    this.#instead?.state.relocate(moved);
  }

  giveUpState(): void {
    this.#asked.state.dropState();
    this.#instead?.state.dropState();
  }

  /** To be called when no candidate is left to be asked. */
  close(): void {
    this.#asked.modes.close();
    this.#instead?.modes.close();
  }
}
