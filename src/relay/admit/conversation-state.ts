import type { Catalog } from "../../catalog/catalog.ts";
import { isSameSigner } from "../../routing/candidate-iterator.ts";
import type { ConversationKey } from "../../routing/conversation.ts";
import type { Candidate } from "../../upstreams/call.ts";
import type { MovedConversations } from "../../upstreams/memory/moved-conversations.ts";
import type { MovedConversation } from "../../upstreams/memory/moved-conversations-store.ts";
import type { TextRequest } from "../text-request.ts";
import { containsState } from "./strip-state.ts";

/** Limits which of a request's state may be sent to a candidate. */
export interface StateTerms {
  /** Values to be taken out, counted from the history's beginning; Infinity = all. */
  readonly foreign: number;
  /** Sends no signed state, not even wrapped state. */
  readonly withoutState: boolean;
}

/** Moves are written ten times a second; only a database in trouble takes longer to tell them. */
const MAX_LATE_MS = 500;

/** Tracks who issued the state in a request while its candidates are tried one after the other. */
export class ConversationState {
  /** It carries state of a vendor's, bare or wrapped by us. */
  readonly isCarried: boolean;
  readonly #catalog: Catalog;
  readonly #key: ConversationKey | undefined;
  #moved: MovedConversation | undefined;
  readonly #isBare: boolean;
  readonly #isPinned: boolean;
  /** The owner cannot be told: pins decide where it goes, or somebody who should have been the owner refused it. */
  #isUnknown: boolean;
  #isGivenUp = false;

  constructor(
    request: TextRequest,
    catalog: Catalog,
    {
      conversation,
      moved,
      isPinned,
    }: {
      readonly conversation: ConversationKey | undefined;
      readonly moved: MovedConversation | undefined;
      readonly isPinned: boolean;
    },
  ) {
    this.#catalog = catalog;
    this.#key = conversation;
    this.#moved = moved;
    this.#isBare = containsState(request);
    this.isCarried = this.#isBare || request.state !== undefined;
    this.#isPinned = isPinned;
    this.#isUnknown = isPinned;
  }

  /** `home`: where the conversation belongs. */
  termsAt(candidate: Candidate, home: Candidate | undefined): StateTerms {
    if (this.#isGivenUp) return { foreign: Number.POSITIVE_INFINITY, withoutState: true };
    if (!this.#isBare || this.#isUnknown) return NO_TERMS;
    const moved = this.#moved;
    const owner = moved === undefined ? home : this.#catalog.placed(moved.upstreamId, moved.credentialId);
    // Nothing else can read the state of a place that was removed.
    if (owner === undefined && moved === undefined) return NO_TERMS;
    if (owner !== undefined && isSameSigner(candidate, owner))
      return moved === undefined ? NO_TERMS : { foreign: moved.foreignValues, withoutState: false };
    return { foreign: Number.POSITIVE_INFINITY, withoutState: false };
  }

  /** A candidate has refused it: whoever made it, that is not known here, so the next one gets all of it. */
  refused(): void {
    this.#isUnknown = true;
  }

  /**
   * Looks for the place where another process continued the conversation, when the first candidate refuses its state: that
   * process's record may still be on its way, and without it the history would seem to come from one signer.
   */
  async findLate(moves: Pick<MovedConversations, "findLate">): Promise<MovedConversation | undefined> {
    if (this.#key === undefined || !this.#isBare || this.#isPinned) return undefined;
    return moves.findLate(this.#key.id, this.#moved, MAX_LATE_MS);
  }

  /** It is there, and so its owner is known after all. */
  relocate(moved: MovedConversation): void {
    this.#moved = moved;
    this.#isUnknown = false;
  }

  /** No candidate gets the state any more. */
  dropState(): void {
    this.#isGivenUp = true;
  }

  /** Returns what to remember of the conversation after a candidate's response; undefined = nothing. */
  movedTo(
    candidate: Candidate,
    home: Candidate | undefined,
    foreignValues: number,
  ): MovedConversation | undefined {
    const key = this.#key;
    if (key === undefined || home === undefined) return undefined;
    const isHome = candidate.credential.id === home.credential.id;
    if (isHome && foreignValues === 0 && this.#moved === undefined) return undefined;
    return {
      key: key.id,
      upstreamId: candidate.upstream.id,
      credentialId: candidate.credential.id,
      foreignValues,
    };
  }
}

/** All of it may be sent. */
export const NO_TERMS: StateTerms = { foreign: 0, withoutState: false };

/**
 * A request that comes again as it was when its conversation moved, a fixed prompt above all, has nothing at the place that it
 * moved to but a cached beginning, which costs its own place one reading. So it goes by the order of all others.
 */
export function startsNewConversation(
  request: TextRequest,
  moves: Pick<MovedConversations, "isRepeated">,
  { key }: MovedConversation,
): boolean {
  return moves.isRepeated(key, request.scan.values) && request.state === undefined && !containsState(request);
}

/**
 * Returns the place to which a conversation moved. If an operator has disabled it, the conversation is at its own place again.
 */
export function movedOf(
  moved: MovedConversation | undefined,
  catalog: Catalog,
): MovedConversation | undefined {
  if (moved === undefined) return undefined;
  const upstream = catalog.upstreams.find(({ id }) => id === moved.upstreamId);
  return upstream?.credentials.some(({ id }) => id === moved.credentialId) ? moved : undefined;
}
