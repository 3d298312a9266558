import { type Faults, isPlain, openFaults, parsed, type SentFrame, type Wire } from "./faults.ts";

/** The grammar of generateContent streams (rules 9, 10, 17, 19). */
export function generateContentFaults(frames: readonly SentFrame[]): readonly string[] {
  const faults = openFaults();
  const { must } = faults;
  must(
    frames.every(({ name }) => name === undefined || name === ""),
    "no event has a name",
  );
  const responses: Wire[] = frames.map(({ data }) => parsed(data));
  must(responses.every(isPlain), "every event is an answer in small, [DONE] is never said");
  const broken = responses.at(-1)?.error !== undefined;
  const chunks = broken ? responses.slice(0, -1) : responses;
  must(
    chunks.every((chunk) => chunk?.error === undefined),
    "an error ends the stream",
  );
  for (const field of ["responseId", "modelVersion"]) {
    must(new Set(chunks.map((chunk) => chunk?.[field])).size <= 1, `${field} is the same in every event`);
  }
  const finishes = new Map<number, string>();
  for (const chunk of chunks) {
    for (const candidate of chunk?.candidates ?? []) {
      must(!finishes.has(candidate.index), "nothing follows the finish of a candidate");
      judgeCandidate(candidate, faults);
      if (candidate.finishReason !== undefined) finishes.set(candidate.index, candidate.finishReason);
    }
  }
  if (broken) {
    must(finishes.size === 0, "a broken stream looks unfinished");
    return faults.found;
  }
  const blocked = chunks.some((chunk) => chunk?.promptFeedback?.blockReason !== undefined);
  must(finishes.size > 0 || blocked, "a candidate says why it ends");
  const counted = chunks.filter((chunk) => chunk?.usageMetadata !== undefined);
  must(counted.length === 0 || counted.at(-1) === chunks.at(-1), "the last event counts tokens");
  return faults.found;
}

function judgeCandidate({ content, finishReason }: Wire, { must }: Faults): void {
  must(content?.role === "model", "a candidate's content is the model's");
  must(content?.parts?.length > 0, "a content has parts");
  must(finishReason !== "FUNCTION_CALL", "no client knows FUNCTION_CALL");
  for (const part of content?.parts ?? []) {
    must(Object.keys(part).length > 0, "no part is empty");
    if (part.functionCall === undefined) continue;
    must(typeof part.functionCall.name === "string", "a call has a name");
    must(isPlain(part.functionCall.args), "a call comes whole");
  }
}
