import type { JsonObject } from "./json.ts";

/** The paths of a protocol, and its clients' conventions outside the bodies. */
export interface EndpointTable {
  /** Below the host, at its vendor and here. `{model}` and `{action}` stand for what callers name in the path. */
  readonly path: string;
  /** The values of `{action}`. */
  readonly actions?: { readonly plain: string; readonly streamed: string } | undefined;
  /** Asks for a stream of events, where a stream is an array without it. */
  readonly eventQuery?: string | undefined;
  /** The call that counts the tokens of a request without answering it. */
  readonly count?: CountTable | undefined;
  /** Actions of the native path that are rewritten into this protocol at the door. */
  readonly adaptedActions?: { readonly one: string; readonly several: string } | undefined;
  /** Legacy form of the same, rewritten at the door. */
  readonly legacyPath?: string | undefined;
  /** The call that compacts a conversation; then an ordinary request may ask for the same by an item. */
  readonly compactPath?: string | undefined;
  /** A field by which an ordinary request asks for a compaction: its path and value. */
  readonly compactField?: { readonly path: string; readonly value: string } | undefined;
  /** Responses that the vendor keeps are read and ended below `path`, by their ids. */
  readonly keepsResponses?: true | undefined;
  /** Paths whose callers read this protocol's errors; null: those that no protocol claims. */
  readonly errorPaths: RegExp | null;
  /** A second header in which its clients read the request's id. */
  readonly idHeader?: string | undefined;
  /** Its callers state a version, betas and `?beta=true`, which are passed on: the version of those who state none. */
  readonly version?: string | undefined;
  /** A field at the top of the body in which some of its servers read betas: a list. */
  readonly betaField?: string | undefined;
  /** Larger limits that a caller can ask for beside the model's own, by the name of the beta, in tokens. */
  readonly betaLimits?:
    | readonly {
        readonly beta: RegExp;
        readonly context?: number;
        readonly output?: number;
      }[]
    | undefined;
  /** Its clients know an overloaded upstream (529). */
  readonly sendsOverloaded?: true | undefined;
  /** The content of its responses, in the words of model lists. */
  readonly makes: "text" | "embedding" | "rerank";
}

/** The token counting of one protocol. */
export interface CountTable {
  readonly path: string;
  /** The response's field that has the count. */
  readonly field: string;
  /** Fields that a response of the gateway's own has beside the count. */
  readonly beside?: JsonObject | undefined;
  /** A field in which a whole request may stand in place of its parts. */
  readonly nested?: string | undefined;
}

/** The kinds of action on a model; `one` and `several` are rewritten at the door. */
export type NativeAction = "plain" | "streamed" | "count" | "one" | "several";

/** The actions by which a protocol is reached on the native path. */
export function nativeActions({
  actions,
  count,
  adaptedActions,
}: EndpointTable): ReadonlyMap<string, NativeAction> {
  const found = new Map<string, NativeAction>();
  if (actions !== undefined) {
    found.set(actions.plain, "plain").set(actions.streamed, "streamed");
    if (count !== undefined) found.set(count.path.slice(count.path.lastIndexOf(":") + 1), "count");
  }
  if (adaptedActions !== undefined)
    found.set(adaptedActions.one, "one").set(adaptedActions.several, "several");
  return found;
}
