import type { FieldChanges } from "../base/json/field-changes.ts";
import type { Candidate } from "./call.ts";
import { kindOf } from "./kinds.ts";

const NONE: FieldChanges = {};

/** How the bodies that a candidate gets differ from its protocol's, which no option changes and nobody loses anything by. */
export function bodyFormAt({ upstream, protocol }: Pick<Candidate, "upstream" | "protocol">): FieldChanges {
  return kindOf(upstream.kind)?.bodyForms?.[protocol] ?? NONE;
}

/** The same with what the upstream's options change; undefined = nothing is changed. */
export function bodyChangesAt(candidate: Pick<Candidate, "upstream" | "protocol">): FieldChanges | undefined {
  const form = bodyFormAt(candidate);
  const { body } = candidate.upstream.options ?? {};
  if (form === NONE) return body;
  return {
    set: { ...body?.set, ...form.set },
    default: { ...body?.default, ...form.default },
    remove: [...(body?.remove ?? []), ...(form.remove ?? [])],
  };
}
