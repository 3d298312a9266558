import type { ProtocolName } from "../conversation/protocol-name.ts";

/** A call of a kind's own that counts the tokens of a request which is written in one of its protocols. */
export interface CountCall {
  readonly protocol: ProtocolName;
  /** The models that it counts for, by the vendor's names. */
  readonly names: RegExp;
  /** Relative to the base URL, with `{model}`. */
  readonly path: string;
  /** The model's name in the path, where it is asked by another. */
  modelOf(name: string): string;
  /** Puts a body of the protocol into the call's. */
  writeBody(body: Uint8Array): Uint8Array;
  /** The field of the response with the count. */
  readonly field: string;
  /** Words of refusals that are about the call and not about the request, which is then counted here. */
  readonly uncounted: RegExp;
}
