import { FetchFailure, type FetchReason } from "../base/fetch/safe-fetch-failure.ts";

/** Why a file could not be copied; `lasting`: trying again would end the same way. */
export class MirrorFailure extends Error {
  override readonly name = "MirrorFailure";
  readonly lasting: boolean;

  constructor(message: string, { lasting }: { readonly lasting: boolean }) {
    super(message);
    this.lasting = lasting;
  }
}

const LASTING: readonly FetchReason[] = ["invalid-url", "forbidden", "redirects", "too-large"];

export function isLasting(error: unknown): boolean {
  if (error instanceof FetchFailure) return LASTING.includes(error.reason);
  return error instanceof MirrorFailure && error.lasting;
}
