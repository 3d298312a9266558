import type { Loss } from "../conversation/loss.ts";
import type { Candidate, ResponseReaderOptions, UpstreamResponse } from "./call.ts";
import { kindOf } from "./kinds.ts";

/** The form in which a kind is asked for some of its models, in place of that of their protocol. */
export interface ModelForm {
  /** By the vendor's names. */
  readonly names: RegExp;
  /** As `EndpointPaths` has them. */
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

/** The form in which a candidate is asked; undefined = in that of its protocol. */
export function modelFormOf({ upstream, protocol, model }: Candidate): ModelForm | undefined {
  const forms = kindOf(upstream.kind)?.modelForms?.[protocol];
  return forms?.find(({ names }) => names.test(model));
}
