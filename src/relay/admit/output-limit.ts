import { type Edit, replaceValue, setField, setMember } from "../../base/json/json-splice.ts";
import { isNoLimit } from "../../billing/pricing/max-cost.ts";
import type { Quirks } from "../../conversation/lower/quirks.ts";
import type { TextRequest } from "../text-request.ts";

/** `x-faregate-output-limit`: the limit that the gateway wrote into a request without one, as the money covers no more. */
export function outputLimitHeader(tokens: number): Record<string, string> {
  return { "x-faregate-output-limit": `${tokens}` };
}

/**
 * Writes an output limit into a body that states none (or null), where the model reads it; into one that says in a number that
 * there is none (0, -1), in place of each, as its reader may take any of them.
 */
export function outputLimitEdits({ protocol, scan }: TextRequest, quirks: Quirks, tokens: number): Edit[] {
  const field = protocol.forward.ownLimit;
  if (field === null) return [];
  const open = protocol.forward.outputLimits.flatMap((path) => scan.all(path)).filter(isNoLimit);
  if (open.length > 0) return open.map((found) => replaceValue(found, `${tokens}`));
  const { name, within } = field;
  if (within !== undefined) return setMember(scan, within, name, tokens);
  const known = field.byQuirk === true ? quirks.maxTokensField : undefined;
  return setField(scan, known ?? name, tokens);
}
