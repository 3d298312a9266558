import type { VendorCall } from "./vendor-upstream.ts";
import { serveWell } from "./vendor-upstream.ts";
import { VENDOR_WIRES, type VendorFault } from "./vendor-wire.ts";

/** Words of a vendor about our account there: no caller may ever read them. */
export const VENDOR_SECRET = "org-7f3a9 of Example Operator Ltd";

export const RETRY_AFTER_SECONDS = 7;

/** Seven ways in which an upstream fails. */
export const FAULTS = [
  "status-500",
  "status-529",
  "rate-limit",
  "our-key",
  "callers-fault",
  "cut",
  "garbage",
] as const;
export type Fault = (typeof FAULTS)[number];

const WORDS: Readonly<Partial<Record<Fault, VendorFault>>> = {
  "status-500": { status: 500, type: "server_error", code: "INTERNAL", message: `Oops at ${VENDOR_SECRET}` },
  "status-529": {
    status: 529,
    type: "overloaded_error",
    code: "UNAVAILABLE",
    message: `Busy, ${VENDOR_SECRET}`,
  },
  "rate-limit": {
    status: 429,
    type: "rate_limit_error",
    code: "RESOURCE_EXHAUSTED",
    message: `Too many requests of ${VENDOR_SECRET}`,
  },
  "our-key": {
    status: 401,
    type: "authentication_error",
    code: "UNAUTHENTICATED",
    message: `Invalid API key of ${VENDOR_SECRET}`,
  },
  "callers-fault": {
    status: 400,
    type: "invalid_request_error",
    code: "INVALID_ARGUMENT",
    message: "The temperature is too high for this model.",
  },
};

/** The words that a caller must read if the vendor found fault with the request itself. */
export const CALLERS_FAULT = WORDS["callers-fault"];

const PAGE = `<html><body><h1>502 Bad Gateway</h1><hr>proxy of ${VENDOR_SECRET}</body></html>`;

export interface FaultCase {
  readonly fault: Fault;
  readonly when: "before" | "after";
  readonly streamed: boolean;
}

export const FAULT_CASES: readonly FaultCase[] = FAULTS.flatMap((fault) =>
  (["before", "after"] as const).flatMap((when) =>
    [false, true].map((streamed) => ({ fault, when, streamed })),
  ),
);

/** The name of the model on which the fault strikes. */
export function faultModel({ fault, when, streamed }: FaultCase, prefix = ""): string {
  return `${prefix}${fault}-${when}-${streamed ? "streamed" : "plain"}`;
}

/** A model on which the caller's fault comes under status 200, as some vendors have it. */
export const DISGUISED = "error-under-200";

/** Fails as the model's name says; any other model is answered well. */
export function failByModel(call: VendorCall): void {
  const found = FAULT_CASES.find((each) => call.model.endsWith(faultModel(each)));
  if (call.model === DISGUISED) failDisguised(call);
  else if (found === undefined) serveWell(call);
  else if (found.when === "before") failBefore(call, found.fault);
  else if (found.streamed) failInStream(call, found.fault);
  else failInBody(call, found.fault);
}

function failDisguised({ protocol, response }: VendorCall): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(VENDOR_WIRES[protocol].error(wordsOf("callers-fault")));
}

function failBefore({ protocol, response }: VendorCall, fault: Fault): void {
  if (fault === "cut") {
    response.destroy();
  } else if (fault === "garbage") {
    response.writeHead(200, { "content-type": "text/html" }).end(PAGE);
  } else {
    const words = wordsOf(fault);
    response.writeHead(words.status, errorHeaders(fault)).end(VENDOR_WIRES[protocol].error(words));
  }
}

/** A plain response goes wrong on its way: broken off, or the error itself comes in two parts. */
function failInBody({ protocol, model, response }: VendorCall, fault: Fault): void {
  const broken = fault === "cut" || fault === "garbage";
  const body = broken ? VENDOR_WIRES[protocol].plain(model) : VENDOR_WIRES[protocol].error(wordsOf(fault));
  if (broken) response.writeHead(200, { "content-type": "application/json" });
  else response.writeHead(wordsOf(fault).status, errorHeaders(fault));
  response.write(body.slice(0, 30));
  setTimeout(() => {
    if (fault === "cut") response.destroy();
    else response.end(fault === "garbage" ? PAGE : body.slice(30));
  }, 50);
}

function failInStream({ protocol, model, response }: VendorCall, fault: Fault): void {
  const wire = VENDOR_WIRES[protocol];
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(wire.opening(model) + wire.delta("Hel"));
  setTimeout(() => {
    if (fault === "cut") {
      // In the middle of a frame.
      response.write(wire.delta("lo there").slice(0, -12));
      setTimeout(() => response.destroy(), 50);
    } else {
      response.end(fault === "garbage" ? PAGE : wire.streamError(wordsOf(fault)));
    }
  }, 50);
}

function wordsOf(fault: Fault): VendorFault {
  const words = WORDS[fault];
  if (words === undefined) throw new Error(`${fault} has no words`);
  return words;
}

function errorHeaders(fault: Fault): Record<string, string> {
  return {
    "content-type": "application/json",
    "x-vendor-organization": VENDOR_SECRET,
    ...(fault === "rate-limit" ? { "retry-after": String(RETRY_AFTER_SECONDS) } : {}),
  };
}
