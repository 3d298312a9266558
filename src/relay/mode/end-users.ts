import { createHmac } from "node:crypto";
import type { AccountId } from "../../accounts/caller.ts";
import type { EndUser } from "../../conversation/lower/end-user.ts";
import type { Quirks } from "../../conversation/lower/quirks.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import type { Candidate } from "../../upstreams/call.ts";
import { kindOf } from "../../upstreams/kinds.ts";

/** Vendors take 64 characters and more; of a hash, half is unique enough and gives nothing away. */
const LETTERS = 32;

/** Names accounts to vendors by ids that are the same in every process and that lead back to nobody without a secret. */
export class EndUsers {
  readonly #secret: Buffer;

  constructor(secret: Buffer) {
    this.#secret = secret;
  }

  /**
   * Returns the end user that a request to a candidate names if its caller names none; undefined if the upstream gets no end
   * users.
   */
  at({ upstream, protocol }: Candidate, account: AccountId, { refuses }: Quirks): EndUser | undefined {
    const { endUser: paths } = PROTOCOLS[protocol].forward;
    if (upstream.options?.endUser === undefined || paths === undefined || refuses?.includes("user"))
      return undefined;
    const wanted = kindOf(upstream.kind)?.endUserField;
    const path = paths.find((each) => each === wanted) ?? paths[0];
    const [field = path, inner] = path.split(".");
    return { id: this.idOf(account), place: [field, inner], paths };
  }

  private idOf(account: AccountId): string {
    return createHmac("sha256", this.#secret).update(String(account)).digest("hex").slice(0, LETTERS);
  }
}
