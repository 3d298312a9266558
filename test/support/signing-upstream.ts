import type { JsonObject } from "../../src/protocols/json.ts";
import { CALLING_WIRES, type CallingTurn } from "./calling-wires.ts";
import { vendorUpstream } from "./vendor-upstream.ts";
import { VENDOR_WIRES } from "./vendor-wire.ts";

export interface SigningUpstream {
  readonly url: string;
  /** State that came back altered, or not at all; each such request was refused. */
  readonly faults: readonly string[];
  /** Answers whose state came back, of all conversations. */
  readonly kept: () => number;
  close(): Promise<void>;
}

/** The model's part in a conversation. */
export interface SigningScript {
  /** The name of the conversation, "" of one that is none of the script's. */
  name(body: JsonObject): string;
  /** Pictures that each request shows, in base64. */
  readonly images: readonly string[];
  /** The calls after so many turns with calls; none: it responds with text. */
  calls(step: number, offered: readonly string[], name: string): CallingTurn["calls"];
  readonly response: string;
}

const REFUSAL = {
  status: 400,
  type: "invalid_request_error",
  code: "invalid_request",
  message: "The history is not what was told.",
};

/**
 * An upstream of the four protocols that thinks, calls tools and signs, step after step, and looks at the pictures and at each
 * signature of the conversation byte for byte: it refuses a history that lacks one.
 */
export async function signingUpstream(script: SigningScript): Promise<SigningUpstream> {
  const faults: string[] = [];
  let kept = 0;
  const vendor = await vendorUpstream(({ protocol, body: bytes, model, streamed, response }) => {
    const wire = CALLING_WIRES[protocol];
    const body: JsonObject = JSON.parse(bytes.toString());
    const name = script.name(body);
    const found = wire.signed(body);
    const wanted = found.map((_, step) => signatureOf(name, step));
    const images = wire.images(body);
    if (name !== "" && JSON.stringify([images, found]) !== JSON.stringify([script.images, wanted])) {
      faults.push(`${name}: ${JSON.stringify({ protocol, images, found })}`);
      response.writeHead(400, { "content-type": "application/json" });
      response.end(VENDOR_WIRES[protocol].error(REFUSAL));
      return;
    }
    kept += found.length;
    const step = found.length;
    const calls = name === "" ? [] : script.calls(step, wire.offered(body), name);
    const signature = calls.length === 0 ? undefined : signatureOf(name, step);
    const turn = { step, model, signature, calls, text: script.response };
    response.writeHead(200, { "content-type": streamed ? "text/event-stream" : "application/json" });
    response.end(streamed ? wire.stream(turn) : JSON.stringify(wire.plain(turn)));
  });
  return { url: vendor.url, faults, kept: () => kept, close: () => vendor.close() };
}

/** The signature has every letter that could break a slot. */
function signatureOf(name: string, step: number): string {
  return Buffer.from(`${name} ${step} \u00fb\u00ff\u00be?>`).toString("base64");
}
