import type { FieldChanges } from "../base/json/field-changes.ts";
import type { Candidate } from "./call.ts";
import { kindOf } from "./kinds.ts";

const NONE: FieldChanges = {};

/** The differences between a candidate's bodies and its protocol's that no option changes and that lose nothing. */
function bodyFormAt({ upstream, protocol }: Asked, isCounted: boolean): FieldChanges {
  const kind = kindOf(upstream.kind);
  return (isCounted ? kind?.countForms?.[protocol] : undefined) ?? kind?.bodyForms?.[protocol] ?? NONE;
}

type Asked = Pick<Candidate, "upstream" | "protocol">;

/** The same with what the upstream's options change; undefined = nothing is changed. `isCounted`: its tokens are counted only. */
export function bodyChangesAt(candidate: Asked, isCounted = false): FieldChanges | undefined {
  const form = bodyFormAt(candidate, isCounted);
  const { body } = candidate.upstream.options ?? {};
  if (form === NONE) return body;
  return {
    set: { ...body?.set, ...form.set },
    default: { ...body?.default, ...form.default },
    remove: [...(body?.remove ?? []), ...(form.remove ?? [])],
  };
}
