import fc from "fast-check";
import { expect, it } from "vitest";
import { asObject, parseLoosely } from "../../src/protocols/json.ts";
import { openFrameReader } from "../../src/protocols/streams/stream-frames.ts";
import { casesOf } from "../support/cases.ts";
import { chargeOfVerdict, verdictOf } from "../support/judged-answer.ts";
import { TEXT_PROTOCOLS, type TextProtocol } from "../support/text-caller.ts";
import { type WrittenResponse, writtenResponse } from "../support/written-response.ts";

/** Errors as their protocol's own clients raise them, and as other vendors of it tell them. */
const ERRORS: Readonly<Record<TextProtocol, readonly string[]>> = {
  "chat-completions": [
    '{"error":{"message":"Sorry.","code":503}}',
    '{"error":{"message":"Sorry."},"choices":[{"index":0,"delta":{"content":"More."}}]}',
    '{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}',
    '{"choices":[{"index":0,"delta":{},"error":{"message":"Sorry."}}]}',
    '{"choices":[{"index":0,"delta":{"content":"More."}}],"base_resp":{"status_code":1000}}',
  ],
  responses: [
    '{"type":"error","message":"Sorry.","code":"server_error"}',
    '{"type":"response.failed","response":{"id":"resp_1","status":"failed","error":{"message":"Sorry."},"output":[]}}',
    '{"type":"response.cancelled","response":{"id":"resp_1","status":"cancelled","output":[]}}',
    '{"type":"response.output_text.delta","delta":"More.","error":{"message":"Sorry."}}',
  ],
  messages: [
    '{"type":"error","error":{"type":"api_error","message":"Sorry."}}',
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"More."},"error":{"message":"Sorry."}}',
  ],
  "generate-content": [
    '{"error":{"code":503,"message":"Sorry.","status":"UNAVAILABLE"}}',
    '{"error":{"message":"Sorry."},"candidates":[{"index":0,"content":{"parts":[{"text":"More."}]}}]}',
    '{"candidates":[{"index":0,"content":{"parts":[{"text":"More."}]},"finishReason":"MALFORMED_FUNCTION_CALL"}]}',
  ],
};

const ANY_ERROR = [
  '{"error":{"message":"Sorry."},"type":"error"}',
  '{"error":"Sorry."}',
  '{"error":{}}',
  '{"code":"overloaded","message":"Sorry."}',
  '{"detail":"Sorry."}',
  '{"object":"error","message":"Sorry."}',
  '{"base_resp":{"status_code":1004,"status_msg":"Sorry."}}',
];

/** What says that there is no error. */
const NO_ERRORS = ["null", "false", '""'];

/** Pieces of the standard's frames that may stand beside what is none. */
const FIELDS = [": ping", "event: error", "id: 7", "retry: 7", "data:", "data"];

const pretty = (json: string): string => JSON.stringify(JSON.parse(json), null, 2);

/** A vendor that fails amid its stream may forget that it writes events, or how they are written. */
const FORGOTTEN: Readonly<Record<string, (json: string) => string>> = {
  "as it is": (json) => json,
  "over several lines": pretty,
  "in an array": (json) => `[${json}]`,
  "in an array over several lines": (json) => `[\n${pretty(json)}\n]`,
  "behind a name of its own": (json) => `error: ${json}`,
  "over several lines, of which only the first is data": (json) => `data: ${pretty(json)}`,
  "behind an event that is not closed": (json) => `data: {"choices":[]}\n${json}`,
  "before the end of the stream, which is not parted": (json) => `${json}\ndata: [DONE]`,
  ...Object.fromEntries(
    FIELDS.flatMap((field) => [
      [`behind "${field}"`, (json: string) => `${field}\n${json}`],
      [`before "${field}"`, (json: string) => `${json}\n${field}`],
      [`over several lines behind "${field}"`, (json: string) => `${field}\n${pretty(json)}`],
    ]),
  ),
};

/** Events as the standard lets them be written. */
const WRITTEN: Readonly<Record<string, (json: string) => string>> = {
  "as data": (json) => `data: ${json}`,
  "as data without a space": (json) => `data:${json}`,
  "as several lines of data": (json) => pretty(json).replace(/^/gm, "data: "),
  "as several lines of data, among comments": (json) => pretty(json).replace(/^/gm, ": ping\ndata:"),
  "as an event with an id": (json) => `id: 7\nevent: error\ndata: ${json}\nretry: 7`,
  "as data in an array": (json) => `data: [${json}]`,
};

const frame = (data: string, form: string): string =>
  form === "as an event"
    ? `event: error\ndata: ${data}\n\n`
    : `${(WRITTEN[form] ?? FORGOTTEN[form] ?? String)(data)}\n\n`;

const responses = fc.record({
  text: fc.constantFrom("", "Hello there."),
  end: fc.constantFrom("stop" as const, "length" as const),
  output: fc.constantFrom(undefined, 0, 3),
});

const errorsOf = (upstream: TextProtocol) =>
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        form: fc.constantFrom("as data", "as data", "as an event", ...Object.keys(WRITTEN)),
        data: fc.constantFrom(...ERRORS[upstream], ...ANY_ERROR),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        form: fc.constantFrom(...Object.keys(FORGOTTEN)),
        data: fc.constantFrom(...ANY_ERROR),
      }),
    },
  );

/** How a stream is cut; at first after each event. */
const sizes = fc.option(fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 }));

function cut(frames: readonly string[], sizes: readonly number[] | null): readonly (string | Buffer)[] {
  if (sizes === null) return frames;
  const stream = Buffer.from(frames.join(""));
  const pieces: Buffer[] = [];
  for (let from = 0, at = 0; from < stream.length; at += 1) {
    const to = from + (sizes[at % sizes.length] ?? 1);
    pieces.push(stream.subarray(from, to));
    from = to;
  }
  return pieces;
}

/** Some servers forget the blank line behind their last event. */
function open(frames: string[]): void {
  frames.push(frames.pop()?.replace(/\n\n$/, "") ?? "");
}

const framesOf = (upstream: TextProtocol, response: WrittenResponse): string[] =>
  writtenResponse(upstream, response).events.split(/(?<=\n\n)/);

/** A stream with errors at up to three places. */
const cases = fc
  .constantFrom(...TEXT_PROTOCOLS)
  .chain((upstream) =>
    fc.record({
      upstream: fc.constant(upstream),
      response: responses,
      errors: fc.array(fc.record({ at: fc.nat({ max: 9 }), error: errorsOf(upstream) }), { maxLength: 3 }),
      denied: fc.record({ at: fc.nat({ max: 9 }), as: fc.constantFrom(undefined, ...NO_ERRORS) }),
      isClosed: fc.boolean(),
      sizes,
      asksUsage: fc.boolean(),
    }),
  )
  .map(({ upstream, response, errors, denied, isClosed, sizes, asksUsage }) => {
    const frames = framesOf(upstream, response).map((each, at) =>
      at === denied.at && denied.as !== undefined
        ? each.replace("data: {", `data: {"error":${denied.as},`)
        : each,
    );
    for (const { at, error } of errors)
      frames.splice(at % (frames.length + 1), 0, frame(error.data, error.form));
    if (!isClosed) open(frames);
    return { upstream, frames, pieces: cut(frames, sizes), asksUsage };
  });

/** What each event of a caller's stream tells. */
function kindsOf(told: string): readonly ("end" | "error" | "more")[] {
  const reader = openFrameReader();
  const events = [...reader.write(Buffer.from(told)), ...reader.end()];
  return events.map(({ name, data }) => {
    if (data === "[DONE]") return "end";
    const event = asObject(parseLoosely(data)) ?? {};
    const type = event["type"];
    if (name === "error" || type === "error" || type === "response.failed" || event["error"]) return "error";
    return /^(message_stop|response\.(completed|incomplete))$/.test(String(type)) ? "end" : "more";
  });
}

it("is judged, charged and ended alike for all callers wherever errors stand in a stream, and nothing is told behind one", async () => {
  await fc.assert(
    fc.asyncProperty(cases, fc.boolean(), async ({ upstream, frames, pieces, asksUsage }, streamed) => {
      const verdicts = await Promise.all(
        TEXT_PROTOCOLS.map(async (client) => {
          const isChat = client === "chat-completions" && streamed;
          const fields = isChat && asksUsage ? { stream_options: { include_usage: true } } : {};
          const verdict = await verdictOf({ client, upstream, streamed, pieces, fields });
          const kinds = streamed ? kindsOf(verdict.told) : [];
          const ends = kinds.filter((kind) => kind !== "more");
          const where = `${client} ${frames.join("")} --> ${verdict.told}`;
          if (ends.includes("error")) {
            expect(kinds.at(-1), where).toBe("error");
            expect(ends.filter((kind) => kind === "error").length, where).toBe(1);
          }
          // A finish of the native protocol is no event of its own.
          return { charge: chargeOfVerdict(verdict), isFailed: ends.includes("error"), where };
        }),
      );
      const [first] = verdicts;
      for (const { charge, isFailed, where } of verdicts) {
        expect(charge, where).toEqual(first?.charge);
        expect(isFailed, where).toBe(first?.isFailed);
      }
    }),
    { numRuns: casesOf(1_000) },
  );
});

it("is charged alike wherever a stream with errors is cut, once any of it was told", async () => {
  await fc.assert(
    fc.asyncProperty(
      cases,
      fc.constantFrom(...TEXT_PROTOCOLS),
      async ({ upstream, frames, pieces }, client) => {
        const cut = await verdictOf({ client, upstream, streamed: true, pieces });
        const apart = await verdictOf({ client, upstream, streamed: true, pieces: frames });
        if (cut.outcome === undefined || apart.outcome === undefined) return;
        expect(chargeOfVerdict(cut), frames.join("")).toEqual(chargeOfVerdict(apart));
      },
    ),
    { numRuns: casesOf(500) },
  );
});

/** Protocols with a word for the end of a response. A finish of the native one is followed by usage, and so by errors. */
const ENDED_BY_WORD = ["chat-completions", "responses", "messages"] as const;

/** A whole response, behind its end an error, and often a further response around that. */
const behindEnd = fc
  .constantFrom(...ENDED_BY_WORD)
  .chain((upstream) =>
    fc.record({
      upstream: fc.constant(upstream),
      response: responses,
      further: fc.option(responses),
      at: fc.nat({ max: 9 }),
      error: errorsOf(upstream),
      isClosed: fc.boolean(),
      sizes,
    }),
  )
  .map(({ upstream, response, further, at, error, isClosed, sizes }) => {
    const own = framesOf(upstream, response);
    const more = further === null ? [] : framesOf(upstream, further);
    const place = at % (more.length + 1);
    const heard = [...own, ...more.slice(0, place)];
    const behind = [frame(error.data, error.form), ...more.slice(place)];
    if (!isClosed) open(behind);
    return { upstream, heard, pieces: cut([...heard, ...behind], sizes) };
  });

/** What follows an end is held back: where the error began in an earlier chunk, its caller has read nothing of it either. */
it("ends well where an error stands behind the end of a response, of which nothing is told, wherever the stream is cut", async () => {
  await fc.assert(
    fc.asyncProperty(
      behindEnd,
      fc.constantFrom(...TEXT_PROTOCOLS),
      fc.boolean(),
      async ({ upstream, heard, pieces }, client, streamed) => {
        const verdict = await verdictOf({ client, upstream, streamed, pieces });
        const expected = await verdictOf({ client, upstream, streamed, pieces: heard });
        const where = `${client} ${pieces.join("")}`;
        expect(chargeOfVerdict(verdict), where).toEqual(chargeOfVerdict(expected));
        expect(untimed(verdict.told), where).toBe(untimed(expected.told));
      },
    ),
    { numRuns: casesOf(1_000) },
  );
});

/** The gateway states when it wrote a response. */
function untimed(told: string): string {
  return told.replace(/"(created|created_at|completed_at)":\d+/g, '"$1":0');
}

/** What the frame of an error may be followed by, and how its lines may end. */
const CLOSED_BY = ["", "\n", "\n\n", '\n\ndata: {"choices":[]}\n\n'];
const LINE_ENDS = ["\n", "\r\n", "\r"];

/** The last frame is one line of data, and at most the event's name before it. Google's clients pass over others. */
const READ_BY_ALL = /[\r\n]{2}(?:event: [a-z.]+[\r\n]+)?data: ?\{[^\r\n]*\}[\r\n]+$/;

const PAIRS = TEXT_PROTOCOLS.flatMap((upstream) => TEXT_PROTOCOLS.map((client) => ({ upstream, client })));

const TOLD = {
  error: { code: 400, message: "Sorry.", type: "invalid_request_error", status: "INVALID_ARGUMENT" },
};

it.each([...Object.keys(WRITTEN), ...Object.keys(FORGOTTEN)])(
  "tells of an error that its vendor has written %s",
  async (form) => {
    for (const [at, { client, upstream }] of PAIRS.entries()) {
      const text = "Hello there.";
      const { events } = writtenResponse(upstream, { text, end: "stop", output: 3 });
      const before = events.slice(0, events.indexOf("\n\n", events.indexOf(text)) + 2);
      const lineEnd = LINE_ENDS[at % LINE_ENDS.length] ?? "";
      const closedBy = CLOSED_BY[at % CLOSED_BY.length] ?? "";
      const error = (frame(JSON.stringify(TOLD), form).trimEnd() + closedBy).replaceAll("\n", lineEnd);
      const verdict = await verdictOf({ client, upstream, streamed: true, pieces: [before, error] });
      const where = `${client} at ${upstream}: ${JSON.stringify(error)} --> ${verdict.told}`;
      expect(verdict.reason, where).toBe("upstream_failed_after_output");
      expect(kindsOf(verdict.told).at(-1), where).toBe("error");
      expect(verdict.told.split("Sorry.").length, where).toBe(2);
      expect(verdict.told, where).toMatch(READ_BY_ALL);
      const first = [error, lineEnd + lineEnd, events];
      for (const streamed of [true, false]) {
        const refused = await verdictOf({ client, upstream, streamed, pieces: first });
        expect([refused.outcome, refused.told], `first, ${streamed}: ${where}`).toEqual([undefined, ""]);
      }
    }
  },
);

it("is charged alike for all callers where a stream breaks off behind an event without the blank line that closes it", async () => {
  for (const upstream of TEXT_PROTOCOLS) {
    const text = "Hello there, how are you today?";
    const { events } = writtenResponse(upstream, { text, end: "stop", output: undefined });
    const pieces = [events.slice(0, events.indexOf("\n\n", events.indexOf(text)))];
    const charges = await Promise.all(
      TEXT_PROTOCOLS.map(async (client) =>
        chargeOfVerdict(await verdictOf({ client, upstream, streamed: true, pieces })),
      ),
    );
    for (const charge of charges) expect(charge, upstream).toEqual(charges[0]);
    expect(charges[0], upstream).toMatchObject({ reason: "upstream_failed_after_output", estimated: true });
  }
});

it.each(['{"message":"Sorry."}', "{}", '"Sorry."', "Sorry."])(
  "takes an event that is called an error for one, whatever it says: %s",
  async (data) => {
    for (const { client, upstream } of PAIRS) {
      const frames = framesOf(upstream, { text: "Hello there.", end: "stop", output: 3 });
      frames.splice(-1, 0, frame(data, "as an event"));
      const verdict = await verdictOf({ client, upstream, streamed: true, pieces: frames });
      expect(verdict.reason, `${client} at ${upstream}`).toBe("upstream_failed_after_output");
      expect(kindsOf(verdict.told).at(-1), verdict.told).toBe("error");
    }
  },
);
