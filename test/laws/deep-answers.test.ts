import { describe, expect, it } from "vitest";
import { boundReported, type UsageBound } from "../../src/billing/pricing/usage-bound.ts";
import { openLosses } from "../../src/conversation/loss.ts";
import { blankPlan } from "../../src/conversation/lower/plan.ts";
import { CHAT_PROTOCOLS } from "../../src/conversation/protocol-name.ts";
import type { ResponseSummary } from "../../src/protocols/protocol.ts";
import { PROTOCOLS } from "../../src/protocols/table.ts";
import { frame } from "../support/conversation-arbitraries.ts";
import { VENDOR_WIRES, wholeStream } from "../support/vendor-wire.ts";

/** Far beyond what a walk by recursion bears. */
const LEVELS = 20_000;
const DEEP = `${'{"a":'.repeat(LEVELS)}1${"}".repeat(LEVELS)}`;

/** Beside the fields that a response has: where vendors count what their tools did, and what else is read at times. */
const FURTHER = [
  ...["server_tool_use", "server_side_tool_usage_details", "tool_usage"],
  ...[
    "usage",
    "usageMetadata",
    "iterations",
    "cost",
    "cost_details",
    "details",
    "error",
    "groundingMetadata",
  ],
  ...[
    "tool_calls",
    "annotations",
    "reasoning_details",
    "citations",
    "search_results",
    "executed_tools",
    "input",
  ],
];

/** Output above what was stated, so that it is asked how often tools ran. */
const BOUND: UsageBound = {
  contextTokens: 1,
  outputTokens: 1,
  statedOutputTokens: 1,
  responses: 1,
  passes: 1,
  maxPassesWithTools: 10,
};

describe("an answer that nests without end, wherever it does", () => {
  it.each(CHAT_PROTOCOLS)("is read for its charge and written for every caller: %s", (protocol) => {
    const { usage } = PROTOCOLS[protocol];
    for (const plain of deepened(VENDOR_WIRES[protocol].plain("model"))) {
      bounded(usage.readPlain(JSON.parse(plain)));
      const decoded = PROTOCOLS[protocol].translation?.decodeResponse(JSON.parse(plain), PLAN(protocol));
      for (const caller of CHAT_PROTOCOLS) {
        if (decoded !== undefined && "response" in decoded)
          PROTOCOLS[caller].translation?.encodeResponse(decoded.response, frame);
      }
    }
  });

  it.each(CHAT_PROTOCOLS)("and as a stream: %s", (protocol) => {
    const events = wholeStream(protocol, "model").split("\n\n");
    for (const [at, event] of events.entries()) {
      const [, head = "", json] = /^(.*?data: )(\{.*)$/s.exec(event) ?? [];
      if (json === undefined) continue;
      for (const deep of deepened(json)) {
        const stream = events.with(at, head + deep);
        const meter = PROTOCOLS[protocol].usage.openStream(1);
        meter.write(Buffer.from(stream.join("\n\n")));
        meter.end();
        bounded(meter.summary());
        const decoder = PROTOCOLS[protocol].translation?.decodeStream(PLAN(protocol));
        const told = stream.flatMap((each) => decoder?.step({ data: each.replace(/^.*?data: /s, "") }) ?? []);
        const all = [...told, ...(decoder?.end() ?? [])];
        for (const caller of CHAT_PROTOCOLS) {
          const encoder = PROTOCOLS[caller].translation?.encodeStream(frame, openLosses({}));
          for (const each of all) encoder?.step(each);
          encoder?.end();
        }
      }
    }
  });
});

const PLAN = (protocol: (typeof CHAT_PROTOCOLS)[number]) => blankPlan({ protocol }, "req_1");

function bounded({ usage, outputText }: ResponseSummary): void {
  expect(() => boundReported(usage, BOUND)).not.toThrow();
  outputText();
}

/** The JSON with a nest in the place of each value in turn, and under each further name of each object. */
function deepened(json: string): readonly string[] {
  return places(JSON.parse(json)).map((value) => JSON.stringify(value).replace('"\\u0000deep"', DEEP));
}

const MARK = "\u0000deep";

function places(value: unknown): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [MARK];
  const inside = Object.entries(value).flatMap(([key, inner]) =>
    places(inner).map((deep) =>
      Array.isArray(value) ? value.with(Number(key), deep) : { ...value, [key]: deep },
    ),
  );
  if (Array.isArray(value)) return [MARK, ...inside];
  const beside = FURTHER.filter((name) => !(name in value)).map((name) => ({ ...value, [name]: MARK }));
  return [MARK, ...inside, ...beside];
}
