import { joinedLosses } from "../../conversation/loss.ts";
import type { ModelForm } from "../../upstreams/model-form.ts";
import type { RelayMode } from "./relay-mode.ts";

/** A mode whose requests are written in the form in which its upstream is asked for the model. Throws GatewayError. */
export function inForm(mode: RelayMode, form: ModelForm, model: string): RelayMode {
  const { body, losses } = form.writeBody(mode.pieces, model);
  const separateBodies = mode.separateBodies?.map((each) => form.writeBody([each], model).body);
  // What a mode does else it may do by methods of its own.
  return Object.assign(Object.create(mode) as RelayMode, {
    pieces: [body],
    separateBodies,
    losses: joinedLosses(mode.losses, losses),
  });
}
