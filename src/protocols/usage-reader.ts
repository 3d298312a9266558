import { type AnswerRules, blankNotes, factsOf } from "./answer-rules.ts";
import { asObject, parseLoosely } from "./json.ts";
import { openTextSink } from "./output-text.ts";
import type { AnswerFacts, UsageReader } from "./protocol.ts";
import { RuledStreamMeter } from "./stream-meter.ts";

// Whole texts only, so it keeps nothing from one to the next; making one costs as much as decoding.
const UTF8 = new TextDecoder();

/** The reader of a protocol's answers, from what the protocol says about them. */
export function usageReader(rules: AnswerRules): UsageReader {
  function readPlain(body: unknown): AnswerFacts {
    const notes = blankNotes(1);
    const answer = asObject(Array.isArray(body) ? body[0] : body) ?? {};
    rules.readAnswer(answer, notes);
    return factsOf(rules, notes, () => {
      const sink = openTextSink();
      rules.answerText(answer, sink);
      return sink.text();
    });
  }
  return {
    readPlain,
    readBytes: (body) => readPlain(parseLoosely(UTF8.decode(body))),
    buckets: (usage) => rules.buckets(usage),
    openStream: (answers = 1) => new RuledStreamMeter(rules, answers),
  };
}
