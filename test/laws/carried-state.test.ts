import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splice } from "../../src/base/json/json-splice.ts";
import type { Catalog } from "../../src/catalog/catalog.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import { ConversationState } from "../../src/relay/admit/conversation-state.ts";
import { containsState, withoutState } from "../../src/relay/admit/strip-state.ts";
import { watchOf } from "../../src/relay/admit/watch.ts";
import type { TextRequest } from "../../src/relay/text-request.ts";
import type { Candidate } from "../../src/upstreams/call.ts";
import type { MovedConversation } from "../../src/upstreams/memory/moved-conversations-store.ts";
import { TEXT_PROTOCOLS, type TextProtocol } from "../support/text-caller.ts";
import { cutAt, cutPlaces, jsonText, mustScan } from "./json-bodies.ts";

/** One item of a turn as it stands in the body. */
interface Piece {
  readonly text: string;
  /** What stands there once its state is gone; null = nothing. Undefined = it has no state. */
  readonly without?: string | null;
}

/** How a protocol's turn is written, and the pieces that it may be of; `word` is a value of state, as JSON text. */
interface Form {
  /** All of it; `turns` of the model's, each followed by the user's words. */
  body(turns: readonly (readonly string[])[], space: string): string;
  stateful(word: string, any: string): Piece[];
  /** Without state, though it may look so. */
  plain(word: string, any: string): string[];
}

const FORMS: Readonly<Record<TextProtocol, Form>> = {
  responses: {
    body: (turns, space) => {
      const items = turns.flatMap((turn) => [...turn, `{"role":"user",${space}"content":"Go on."}`]);
      return `{"model":"m",${space}"input":${space}[${items.join(`${space},`)}${space}]}`;
    },
    stateful: (word, any) => [
      { text: `{"type":"reasoning","id":"rs","x":${any},"encrypted_content":${word}}`, without: null },
      { text: `{ "encrypted_content" : ${word}, "type":"reasoning"}`, without: null },
    ],
    plain: (word, any) => [
      `{"type":"reasoning","id":"rs","encrypted_content":null,"summary":[${any}]}`,
      `{"type":"message","content":[{"type":"output_text","text":${word},"encrypted_content":${word}}]}`,
      `{"type":"function_call","arguments":{"encrypted_content":${word}},"x":${any}}`,
    ],
  },
  messages: {
    body: (turns, space) => {
      const messages = turns.flatMap((turn) => [
        ...(turn.length === 0 ? [] : [`{"role":"assistant",${space}"content":[${turn.join(`${space},`)}]}`]),
        `{"role":"user","content":${space}"Go on."}`,
      ]);
      return `{"messages":[${messages.join(`,${space}`)}],"thinking":{"type":"enabled","budget_tokens":1024}}`;
    },
    stateful: (word, any) => [
      { text: `{"type":"thinking","thinking":"Hm.","x":${any},"signature":${word}}`, without: null },
      { text: `{"data":${word} ,"type":"redacted_thinking"}`, without: null },
    ],
    plain: (word, any) => [
      `{"type":"text","text":"Well.","signature":${word}}`,
      `{"type":"tool_use","id":"t","name":"f","input":{"signature":${word},"data":${any}}}`,
      `{"type":"image","source":{"type":"base64","data":${word}}}`,
    ],
  },
  "generate-content": {
    body: (turns, space) => {
      const contents = turns.flatMap((turn) => [
        `{"role":"model",${space}"parts":[${turn.join(`,${space}`)}]}`,
        `{"role":"user","parts":[{"text":${space}"Go on."}]}`,
      ]);
      return `{"contents":${space}[${contents.join(",")}]}`;
    },
    stateful: (word, any) =>
      ["thoughtSignature", "thought_signature"].map((name) => {
        const part = (value: string): string =>
          `{"functionCall":{"name":"f","args":{"a":${any}}},"${name}": ${value}}`;
        return { text: part(word), without: part('"skip_thought_signature_validator"') };
      }),
    plain: (word, any) => [
      `{"text":"Well.","thoughtSignature":"skip_thought_signature_validator"}`,
      `{"functionCall":{"name":"f","args":{"thoughtSignature":${word},"x":${any}}}}`,
    ],
  },
  "chat-completions": {
    body: (turns, space) => {
      const messages = turns.flatMap((turn) => [
        `{"role":"assistant",${space}"content":null,"reasoning_details":[${turn.join(`${space},`)}]}`,
        `{"role":"user","content":"Go on."}`,
      ]);
      return `{"model":"m","messages":[${messages.join(`${space},`)}]}`;
    },
    stateful: (word, any) => [
      { text: `{"type":"reasoning.text","text":"Hm.","x":${any},"signature":${word}}`, without: null },
      { text: `{"type":"reasoning.encrypted","data":${word}}`, without: null },
    ],
    plain: (word, any) => [
      `{"type":"reasoning.summary","summary":${word}}`,
      `{"type":"reasoning.text","signature":null,"more":{"data":${word},"x":${any}}}`,
    ],
  },
};

/** Words of state, some with escapes; no two alike, so that each can be looked for. */
function wordAt(index: number): string {
  return `"sig${index % 3 === 0 ? "\\u0041\\/" : "+/"}${index}=end"`;
}

const history = fc
  .array(fc.array(fc.record({ which: fc.nat({ max: 5 }), any: jsonText }), { maxLength: 4 }), {
    minLength: 1,
    maxLength: 6,
  })
  .map((turns) => {
    let index = 0;
    return (form: Form): Piece[][] =>
      turns.map((turn) =>
        turn.map(({ which, any }) => {
          const word = wordAt(index++);
          const pieces = [
            ...form.stateful(word, any),
            ...form.plain(word, any).map((text): Piece => ({ text })),
          ];
          return pieces[which % pieces.length] as Piece;
        }),
      );
  });
const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

function requestOf(protocol: TextProtocol, body: string, places: readonly number[]): TextRequest {
  const chunks = cutAt(Buffer.from(body), places);
  const scan = mustScan(watchOf(protocol), chunks);
  return { protocol: PROTOCOLS[protocol], body: chunks, scan } as unknown as TextRequest;
}

function sentOf(request: TextRequest, count: number): string {
  return Buffer.concat(splice(request.body, withoutState(request, count).edits)).toString();
}

const OFF = { type: "disabled" };

describe.each(TEXT_PROTOCOLS)("state that a %s request carries", (protocol) => {
  const form = FORMS[protocol];

  it("is taken out up to a count, and all else stays byte for byte", () => {
    fc.assert(
      fc.property(history, fc.nat({ max: 8 }), space, cutPlaces, (made, count, gap, places) => {
        const turns = made(form);
        const stateful = turns.flat().filter(({ without }) => without !== undefined);
        const gone = new Set(stateful.slice(0, count));
        const left = turns.map((turn) =>
          turn.flatMap((piece) => {
            if (!gone.has(piece)) return [piece.text];
            return typeof piece.without === "string" ? [piece.without] : [];
          }),
        );
        const request = requestOf(
          protocol,
          form.body(
            turns.map((turn) => turn.map(({ text }) => text)),
            gap,
          ),
          places,
        );
        if (stateful.length > 0) expect(containsState(request)).toBe(true);
        expect(withoutState(request, count).count).toBe(gone.size);
        const sent = sentOf(request, count);
        const { thinking: _, ...parsed } = JSON.parse(sent);
        const { thinking: __, ...expected } = JSON.parse(form.body(left, gap));
        expect(parsed).toEqual(expected);
        let from = 0;
        for (const text of left.flat()) {
          const at = sent.indexOf(text, from);
          expect(at).toBeGreaterThanOrEqual(0);
          from = at + text.length;
        }
        if (gone.size === 0) expect(sent).toBe(Buffer.concat(request.body).toString());
      }),
      { numRuns: 150 },
    );
  });

  it("is seen by its own signer alone, whichever places a conversation goes through", () => {
    const journey = fc.array(fc.record({ place: fc.nat({ max: 4 }), values: fc.nat({ max: 3 }) }), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(journey, jsonText, space, cutPlaces, (turns, any, gap, places) => {
        const history: { readonly signer: string; readonly piece: Piece; readonly run: number }[][] = [];
        let moved: MovedConversation | undefined;
        let run = 0;
        let last = signerOf(HOME);
        let words = 0;
        for (const { place, values } of turns) {
          const candidate = PLACES[place] as Candidate;
          const signer = signerOf(candidate);
          const body = form.body(
            history.map((turn) => turn.map(({ piece }) => piece.text)),
            gap,
          );
          const request = requestOf(protocol, body, places);
          const state = new ConversationState(request, CATALOG, {
            conversation: KEY,
            moved,
            isPinned: false,
          });
          const { foreign } = state.termsAt(candidate, HOME);
          const taken = foreign > 0 ? withoutState(request, foreign).count : 0;
          const sent = foreign > 0 ? sentOf(request, foreign) : body;
          if (signer !== last) run += 1;
          last = signer;
          for (const made of history.flat()) {
            const isSent = sent.includes(/"sig[^"]*end"/.exec(made.piece.text)?.[0] ?? "none");
            if (made.signer !== signer) expect(isSent).toBe(false);
            // What it has signed before the conversation was elsewhere stands before what is taken out.
            if (made.signer === signer && made.run === run) expect(isSent).toBe(true);
          }
          moved = state.movedTo(candidate, HOME, taken) ?? moved;
          history.push(
            Array.from({ length: values }, () => {
              const piece = form.stateful(wordAt(words++), any)[words % 2] as Piece;
              return { signer, piece, run };
            }),
          );
        }
      }),
      { numRuns: 100 },
    );
  });
});

it("turns thinking off where the turn under way has lost its thoughts, and nowhere else", () => {
  const thought = '{"type":"thinking","thinking":"Hm.","signature":"sig"}';
  const call = '{"type":"tool_use","id":"t","name":"f","input":{}}';
  const result = '{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"fair"}]}';
  const thinking = '"thinking":{"type":"enabled","budget_tokens":1024}';
  const turn = `{"role":"assistant","content":[${thought},${call}]},${result}`;
  const spoken = '{"role":"user","content":"Go on."}';
  const read = (messages: string): unknown => {
    const body = `{"messages":[{"role":"user","content":"Go."},${messages}],${thinking}}`;
    return JSON.parse(sentOf(requestOf("messages", body, []), 9)).thinking;
  };
  expect(read(turn)).toEqual(OFF);
  expect(read(`${turn},${spoken}`)).toEqual({ type: "enabled", budget_tokens: 1024 });
});

it("refuses to take out a compacted history, which is all there is", () => {
  const compacted = fc.constantFrom("compaction", "compaction_summary");
  fc.assert(
    fc.property(compacted, fc.nat({ max: 3 }), jsonText, (type, before, any) => {
      const items = Array.from({ length: before }, (_, at) => FORMS.responses.stateful(wordAt(at), any)[0]);
      const texts = [...items.map((item) => item?.text), `{"type":"${type}","encrypted_content":"sig"}`];
      const request = requestOf("responses", `{"model":"m","input":[${texts.join(",")}]}`, []);
      expect(() => withoutState(request, Number.POSITIVE_INFINITY)).toThrow(/encrypted_content/);
      expect(withoutState(request, before).count).toBe(before);
    }),
    { numRuns: 50 },
  );
});

/** Two keys of one organization at two upstreams, and three strangers. */
const PLACES = ["acme", "acme", null, null, null].map((signer, index) => ({
  upstream: { id: BigInt(index + 1), name: `u${index}`, signer },
  credential: { id: BigInt(10 + index) },
})) as unknown as readonly Candidate[];
const HOME = PLACES[0] as Candidate;
const KEY = { id: "00", high: 0, low: 0 };
const CATALOG = {
  placed: (_: bigint, credentialId: bigint) =>
    PLACES.find(({ credential }) => credential.id === credentialId),
} as unknown as Catalog;

function signerOf({ upstream, credential }: Candidate): string {
  return upstream.signer ?? String(credential.id);
}
