import { readAddressList } from "../../base/fetch/address-list.ts";
import type { Settings } from "../../catalog/catalog.ts";
import { GatewayError } from "../../errors.ts";
import type { Call } from "../operation.ts";

type Rules = Pick<Settings, "signIn" | "trustedProxies">;

/** Throws where whoever changes the settings could not come back: nobody else may be there to let them in. */
export function keepAccess(
  call: Pick<Call<unknown, unknown>, "identity" | "addressBehind">,
  before: Rules,
  after: Rules,
): void {
  const { operatorAddresses, requireSso } = after.signIn;
  const address = call.addressBehind(after.trustedProxies);
  if (operatorAddresses !== null && !readAddressList(operatorAddresses).includes(address))
    throw refused("operator_addresses", `must include your own address, ${address}`);
  if (!requireSso || before.signIn.requireSso || call.identity === undefined) return;
  const isKnown =
    call.identity.via === "session" ? call.identity.provider !== null : call.identity.user.hasIdentity;
  if (!isKnown)
    throw refused("require_sso", "sign in with an identity provider first; your password would end here");
}

function refused(name: string, message: string): GatewayError {
  const param = `sign_in.${name}`;
  return new GatewayError("invalid_request", `${param}: ${message}`, { param });
}
