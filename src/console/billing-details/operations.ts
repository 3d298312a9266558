import { type BillingDetails, billingProblem } from "../../accounts/billing-details.ts";
import {
  lockBillingDetails,
  readBillingDetails,
  writeBillingDetails,
} from "../../accounts/billing-details-store.ts";
import { GatewayError } from "../../errors.ts";
import type { ConsoleDeps } from "../deps.ts";
import { revisionOf } from "../input.ts";
import { json, type Operation } from "../operation.ts";
import { type BillingDetailsResponse, billingDetailsBody, billingDetailsResponse } from "./contract.ts";

/** What monthly statements print of an account: legal name, address and tax id. */
export function billingDetailsOperations(deps: ConsoleDeps): readonly Operation[] {
  return [show(deps), write(deps)];
}

const described = { path: "/accounts/{account}/billing-details", tag: "billing" } as const;

function show({ database }: ConsoleDeps): Operation {
  return json({
    ...described,
    policy: "viewer",
    method: "GET",
    summary: "Legal name, address and tax id, as monthly statements print them",
    response: billingDetailsResponse,
    conditional: true,
    run: async (call) => detailsResponse(await readBillingDetails(database, call.account().id)),
  });
}

function write({ database }: ConsoleDeps): Operation {
  return json({
    ...described,
    policy: "owner",
    scope: "billing",
    method: "PUT",
    summary: "Set legal name, address and tax id",
    body: billingDetailsBody,
    response: billingDetailsResponse,
    conditional: true,
    async run(call) {
      const { id, name } = call.account();
      const after = {
        legalName: stated("legalName", "legal_name", call.body.legal_name),
        address: stated("address", "address", call.body.address),
        taxId: stated("taxId", "tax_id", call.body.tax_id),
      };
      return database.transaction(async (tx) => {
        const before = await lockBillingDetails(tx, id);
        call.expectRevision(revisionOf(before));
        await writeBillingDetails(tx, id, after);
        const note = { action: "account.update", subject: name, accountId: id };
        await call.audit(tx, { ...note, before: inWords(before), after: inWords(after) });
        return detailsResponse(after);
      });
    },
  });
}

/** Empty is what a form sends of a field without text. Lines end alike, whatever the browser's system. */
function stated(field: keyof BillingDetails, param: string, text: string | null): string | null {
  if (text === null || text === "") return null;
  const value = text.replaceAll("\r\n", "\n");
  const problem = billingProblem(field, value);
  if (problem !== undefined) throw new GatewayError("invalid_request", `${param}: ${problem}.`, { param });
  return value;
}

function inWords({ legalName, address, taxId }: BillingDetails): object {
  return { legal_name: legalName, address, tax_id: taxId };
}

function detailsResponse(details: BillingDetails): BillingDetailsResponse {
  const { legalName, address, taxId } = details;
  return { legal_name: legalName, address, tax_id: taxId, revision: revisionOf(details) };
}
