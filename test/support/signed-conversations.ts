import { asObjects, asText, type JsonObject } from "../../src/protocols/json.ts";
import { TEST_KEY } from "./gateway.ts";
import { type VendorCall, vendorUpstream } from "./vendor-upstream.ts";
import { VENDOR_WIRES } from "./vendor-wire.ts";
import { ask, type Reply } from "./world.ts";

/** One request as a vendor saw it. */
export interface SignedCall {
  readonly conversation: string;
  /** The credential that it came with. */
  readonly key: string;
  readonly fate: "answered" | "refused" | "away";
  /** Values of state that it carried. */
  readonly carried: number;
}

export interface SigningVendors {
  readonly urls: readonly string[];
  readonly calls: SignedCall[];
  /** Keys that are out of service now: each request is told to wait two minutes. */
  readonly away: Set<string>;
  close(): Promise<void>;
}

const AWAY = { status: 429, type: "rate_limit_error", code: "rate_limit_exceeded", message: "Rate limited." };
const REFUSAL = {
  status: 400,
  type: "invalid_request_error",
  code: "invalid_encrypted_content",
  message: "The encrypted content could not be verified.",
};

/**
 * Vendors of the responses protocol that sign each response, and take back nothing but what the signer of the request's key has
 * signed for its conversation, byte for byte. `signerOf`: by a key; by default each is a signer of its own.
 */
export async function signingVendors(
  count: number,
  signerOf: (key: string) => string = (key) => key,
): Promise<SigningVendors> {
  const calls: SignedCall[] = [];
  const away = new Set<string>();
  const serve = ({ request, body: bytes, response }: VendorCall): void => {
    const key = asText(request.headers.authorization).replace("Bearer ", "");
    const body: JsonObject = JSON.parse(bytes.toString());
    const conversation = /conversation-[\w-]+/.exec(bytes.toString())?.[0] ?? "";
    const states = asObjects(body["input"]).flatMap(({ type, encrypted_content }) =>
      type === "reasoning" ? [asText(encrypted_content)] : [],
    );
    const own = `${signerOf(key)} ${conversation} `;
    const isOwn = (state: string): boolean => {
      const text = Buffer.from(state, "base64").toString();
      return text.startsWith(own) && state === signed(text.slice(0, -TAIL.length));
    };
    const fate = away.has(key) ? "away" : states.every(isOwn) ? "answered" : "refused";
    calls.push({ conversation, key, fate, carried: states.length });
    if (fate !== "answered") {
      const fault = fate === "away" ? AWAY : REFUSAL;
      const wait = fate === "away" ? { "retry-after": "120" } : {};
      response.writeHead(fault.status, { "content-type": "application/json", ...wait });
      response.end(VENDOR_WIRES.responses.error(fault));
      return;
    }
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(responseOf(asText(body["model"]), signed(`${own}${calls.length}`))));
  };
  const vendors = await Promise.all(Array.from({ length: count }, () => vendorUpstream(serve)));
  return {
    urls: vendors.map(({ url }) => url),
    calls,
    away,
    close: async () => {
      await Promise.all(vendors.map((vendor) => vendor.close()));
    },
  };
}

/** The text has every letter that could break a slot. */
const TAIL = " \u00fb\u00ff\u00be?>";

function signed(text: string): string {
  return Buffer.from(`${text}${TAIL}`).toString("base64");
}

function responseOf(model: string, encrypted_content: string): JsonObject {
  const content = [{ type: "output_text", text: "Well.", annotations: [], logprobs: [] }];
  return {
    id: "resp_1",
    object: "response",
    created_at: 1,
    status: "completed",
    model,
    output: [
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content },
      { type: "message", id: "msg_1", role: "assistant", status: "completed", content },
    ],
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    tools: [],
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: "auto",
    top_p: 1,
    usage: {
      input_tokens: 9,
      output_tokens: 9,
      total_tokens: 18,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  };
}

/** A client's conversation, which keeps whatever it is answered. */
export class SignedConversation {
  readonly name: string;
  readonly #input: JsonObject[] = [];

  constructor(name: string) {
    this.name = `conversation-${name}`;
  }

  /** Says one thing more, to the gateway at this address. */
  async say(url: string, headers: Record<string, string> = {}): Promise<Reply> {
    const content = this.#input.length === 0 ? `Hello from ${this.name}` : "Go on.";
    const input = [...this.#input, { role: "user", content }];
    const body = { model: "text", input, store: false, include: ["reasoning.encrypted_content"] };
    const reply = await ask(url, "/v1/responses", body, { key: TEST_KEY, headers });
    if (reply.status === 200) this.#input.push(...input.slice(-1), ...asObjects(reply.json.output));
    return reply;
  }
}

/** A catalog of one model at these vendors, each with these keys; `lines`: what is added to each upstream. */
export function signedCatalog(
  upstreams: readonly { readonly url: string; readonly keys: readonly string[]; readonly lines?: string }[],
  settings = "{}",
): string {
  const upstream = (each: (typeof upstreams)[number], index: number): string =>
    `  - { name: vendor-${index}, kind: openai-compatible, base_url: "${each.url}/v1", protocols: [responses],
      api_keys: ${JSON.stringify(each.keys)}, models: [text]${each.lines === undefined ? "" : `, ${each.lines}`} }`;
  return `version: 1
models:
  - { id: text, context_tokens: 200000, max_output_tokens: 32000, price: { input: 3, output: 15 } }
upstreams:
${upstreams.map(upstream).join("\n")}
settings: ${settings}
accounts:
  - { name: acme, balance: 1000, keys: [{ name: test, key: ${TEST_KEY} }] }
`;
}
