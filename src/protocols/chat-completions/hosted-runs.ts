import { asObjects, asText, type JsonObject } from "../json.ts";
import { recordCall, type StreamState } from "../streams/metering-rules.ts";
import { wireCalls } from "./decode-calls.ts";

/** Groq's words for what it ran, as price tables call it: https://console.groq.com/docs/compound/built-in-tools */
const EXECUTED: readonly (readonly [word: RegExp, tool: string])[] = [
  [/visit|browser\.open/, "visit_website"],
  [/search/, "web_search"],
  [/python|code/, "code_interpreter"],
];

/** Moonshot's search, which the caller asks for by sending its call back: https://platform.moonshot.ai/docs/guide/use-web-search */
const BUILT_IN = "$web_search";

/** Words without which a chunk of a stream tells of no such run, and need not be read for one. */
export const RUN_WORDS = ["executed_tools", "web_search", BUILT_IN] as const;

/** Records the tools that ran for one of the answers, by its message or a piece of it. */
export function recordRuns(state: StreamState, message: JsonObject, answer: number): void {
  for (const [place, run] of asObjects(message["executed_tools"]).entries()) {
    const word = `${asText(run["type"])} ${asText(run["name"])}`.toLowerCase();
    const tool = EXECUTED.find(([words]) => words.test(word))?.[1];
    // A stream tells a run when it begins and again when it has ended, by the same index.
    const index = typeof run["index"] === "number" ? run["index"] : place;
    if (tool !== undefined) recordCall(state, tool, `${answer} ${index}`);
  }
  for (const [place, call] of wireCalls(message).entries()) {
    const called = call["function"];
    const name = typeof called === "object" && called !== null && "name" in called ? called.name : undefined;
    const index = typeof call["index"] === "number" ? call["index"] : place;
    if (name === BUILT_IN) recordCall(state, "web_search", `${answer} ${index}`);
  }
}

/** Records Zhipu's search, of which it lists what was found beside the answer: https://docs.z.ai/guides/tools/web-search */
export function recordResults(state: StreamState, body: JsonObject): void {
  if (asObjects(body["web_search"]).length > 0) recordCall(state, "web_search", "response");
}
