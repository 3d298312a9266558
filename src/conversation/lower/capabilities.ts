import type { NeutralField } from "../loss.ts";
import type { ChatProtocol } from "../protocol-name.ts";
import type { JsonObject, MediaPart } from "../request.ts";
import type { WordRule } from "./words.ts";

/**
 * The slots of one protocol, as data. `lower-request.ts` fits requests to them and `adapt-response.ts` fits responses,
 * so that the encoders write every field of their input, and each discard is decided in one place.
 */
export interface ProtocolCapabilities {
  readonly protocol: ChatProtocol;
  /**
   * The richness of the protocol's slots beside its siblings, the richest first: of several protocols that an upstream
   * speaks, the richest is chosen.
   */
  readonly rank: number;
  /** Fields of a request that the protocol can state. Others are dropped with a loss, or refused by `lower-request.ts`. */
  readonly slots: ReadonlySet<NeutralField>;
  readonly toolNames: WordRule;
  readonly callIds: WordRule;
  /** Most letters of the end user's name, where that has a slot. */
  readonly maxUserLength?: number | undefined;
  /** The smallest limit of output that the protocol takes; 0 asks messages to fill the cache and to write nothing. */
  readonly minOutputTokens: number;
  /** Most stop sequences; the gateway cuts the response at the others. */
  readonly maxStops: number;
  /** Custom tools have a slot; elsewhere they become functions with one text (rule 29). */
  readonly customTools: boolean;
  /** Tools can be grouped; elsewhere groups are flattened into names. */
  readonly namespaces: boolean;
  /** One request can ask for several responses; elsewhere it is sent several times. */
  readonly manyAnswers: boolean;
  /**
   * The place in which a request for JSON of any form must have the word as well: in instructions or messages, in
   * messages alone, or `always`, because no field states the request. Absent: it is not needed.
   */
  readonly jsonWord?: "anywhere" | "in-messages" | "always" | undefined;
  /** True if a response can be held to this schema; one that it cannot be is asked for in words. Absent: any. */
  readonly takesSchema?: ((schema: JsonObject) => boolean) | undefined;
  /** Takes turns without words, and instructions that no conversation follows. */
  readonly silence?: true | undefined;
  /** The meaning of a trailing assistant turn if the catalog states none (rule 34). */
  readonly prefill: "continue" | "refuse";
  /** Caches only what it is asked to, and can be asked to cache all (`cacheAll`); elsewhere vendors cache by themselves. */
  readonly cachesAsked?: true | undefined;
  /** Media that requests can hold. */
  readonly media: MediaSlots;
  /** Turns of the assistant can hold media. */
  readonly assistantMedia: boolean;
  /** Answers hold several choices, as their callers may ask for; elsewhere callers read the first one. */
  readonly manyChoices: boolean;
  /** Media that answers can hold. */
  readonly responseMedia: readonly MediaPart["media"][];
  /** The form of a call's arguments: an object, or the object's text, which need not be one. */
  readonly argumentsAs: "object" | "text";
  /** Streams write one block after the other, never two at a time (rule 13). */
  readonly blocksInTurn: boolean;
  /**
   * Parts of responses that can hold opaque state. State of others becomes a thought of its own where
   * thoughts can (`opaque.of` leads it back), else it is lost.
   */
  readonly stateSlots: readonly ("text" | "media" | "reasoning" | "tool-call")[];
  /** Clients drop the state of calls, so that the gateway remembers it for them. */
  readonly forgetsCallState?: true | undefined;
  /** The word for an end at a call whose arguments are no JSON; absent = it has none. */
  readonly brokenCallWord?: string | undefined;
  /**
   * The parts that carry the state of the reasoning before them, for clients that drop reasoning
   * (`attached-reasoning.ts`). A text carries only state that no call follows.
   */
  readonly reasoningRideOn: readonly ("tool-call" | "text")[];
  /**
   * A thought that holds the state of a response's last words may stand behind them (`state/drop-trailing-state.ts`). Only
   * where `serializeBlocks`.
   */
  readonly stateAfterWords: boolean;
  /**
   * The sources that responses can cite: any, only those with an address, or none. A protocol always takes its own
   * citations.
   */
  readonly responseCitations: "any" | "urls" | "none";
}

/** The media that a request can hold inline, and those that the vendor fetches itself by their address. */
export interface MediaSlots {
  readonly inline: readonly MediaPart["media"][];
  readonly byUrl: readonly MediaPart["media"][];
  /** The vendor fetches from no other addresses. */
  readonly schemes: readonly ("https:" | "http:")[];
  /** The vendor fetches documents of no other types; absent = of any. */
  readonly documentTypes?: readonly string[] | undefined;
}
