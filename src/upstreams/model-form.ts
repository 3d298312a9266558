import type { Loss } from "../conversation/loss.ts";
import type { ResponseReaderOptions, UpstreamResponse } from "./call.ts";

/** The form in which a kind is asked for some of its models, in place of that of their protocol. */
export interface ModelForm {
  /** The models of this form, by the vendor's names. */
  readonly names: RegExp;
  /** The path in the form of `EndpointPaths`. */
  readonly path: string;
  readonly streamPath: string;
  /** Writes a body of the protocol in this form. Throws GatewayError where its meaning has no place there. */
  writeBody(body: readonly Uint8Array[], model: string): WrittenBody;
  /** Reads a response in this form as one of the protocol. */
  openResponse(response: UpstreamResponse, options: ResponseReaderOptions): UpstreamResponse;
}

export interface WrittenBody {
  readonly body: Uint8Array;
  readonly losses: readonly Loss[];
}
