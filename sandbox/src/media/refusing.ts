import type { Call } from "../call.ts";
import { Refusal } from "../refusal.ts";
import { sendError } from "../reply.ts";
import { credentialRefusal } from "../text-route.ts";
import type { MediaErrorForm } from "./wire/errors.ts";

/** Runs a response for a credential that is good, and sends what it throws as a refusal. */
export async function refusing(
  call: Call,
  form: MediaErrorForm,
  response: () => Promise<void>,
): Promise<void> {
  try {
    const refused = credentialRefusal(call.credential, form);
    if (refused !== undefined) throw new Refusal(refused);
    await response();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    call.track.refused = error.error.status;
    sendError(call, form, error.error);
  }
}
