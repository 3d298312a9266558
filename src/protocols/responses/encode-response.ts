import { appendAll } from "../../base/append-all.ts";
import type { ResponseFrame } from "../../conversation/lower/plan.ts";
import type { ChatResponse, Choice, ResponsePart } from "../../conversation/response.ts";
import type { TokenUsage } from "../../usage/usage.ts";
import { asObject, asObjects, type JsonObject } from "../json.ts";
import { encodeUsage } from "./encode-usage.ts";
import { encodeFinish } from "./finish.ts";
import { encodeReasoningOutput } from "./reasoning-item.ts";
import {
  callItem,
  callPrefix,
  contentPart,
  type ItemStatus,
  imageAddress,
  imageItem,
  messageItem,
  responseItemId,
  wholeArguments,
} from "./response-items.ts";

/** Writes a caller's plain response. */
export function encodeResponse(response: ChatResponse, frame: ResponseFrame): JsonObject {
  const [choice] = response.choices;
  const end = encodeFinish(choice?.finish ?? { unified: "other", protocol: "responses" });
  const output = choice === undefined ? [] : encodeOutput(choice, frame, end.status);
  return responseObject(frame, { model: response.model, ...end, output, usage: response.usage?.tokens });
}

type CutStatus = "completed" | "incomplete";

function encodeOutput(choice: Choice, frame: ResponseFrame, status: CutStatus): readonly JsonObject[] {
  const output: JsonObject[] = [];
  let content: JsonObject[] = [];
  // Only the last item can have been cut short.
  const closeMessage = (ended: CutStatus): void => {
    if (content.length === 0) return;
    const id = responseItemId("msg", frame, output.length);
    output.push(messageItem(id, content, ended));
    content = [];
  };
  for (const [index, part] of choice.parts.entries()) {
    const said = spokenPart(part);
    if (said !== undefined) {
      content.push(said);
      continue;
    }
    closeMessage("completed");
    const ended = index === choice.parts.length - 1 ? status : "completed";
    appendAll(output, encodeItem(part, frame, output.length, ended));
  }
  closeMessage(status);
  return output;
}

/** Neighbouring texts are the parts of one message. */
function spokenPart(part: ResponsePart): JsonObject | undefined {
  if (part.kind === "text") return contentPart(part.text, part.refusal === true, part.citations);
  const address = part.kind === "media" ? imageAddress(part) : "";
  return address === "" ? undefined : contentPart(address, false);
}

function encodeItem(
  part: ResponsePart,
  frame: ResponseFrame,
  index: number,
  status: CutStatus,
): readonly JsonObject[] {
  switch (part.kind) {
    case "reasoning":
      return [encodeReasoningOutput(responseItemId("rs", frame, index), part)];
    case "tool-call": {
      const id = responseItemId(callPrefix(part), frame, index);
      return [callItem(id, part, wholeArguments(part, part.arguments), status)];
    }
    case "media": {
      const item = imageItem(responseItemId("ig", frame, index), part);
      return item === undefined ? [] : [item];
    }
    case "foreign":
      return [part.value];
    case "text":
      return [];
  }
}

/** The fields that change between the announcement of a response and its end. */
export interface ResponseState {
  readonly model: string | undefined;
  readonly status: ItemStatus;
  readonly incomplete_details: JsonObject | null;
  readonly output: readonly JsonObject[];
  readonly usage: TokenUsage | undefined;
}

/** A whole response object, which clients read at a stream's beginning and end; request fields are repeated. */
export function responseObject(frame: ResponseFrame, state: ResponseState): JsonObject {
  const { model, status, incomplete_details, output, usage } = state;
  const { tools, text, ...echo } = frame.echo;
  return {
    ...UNSAID,
    ...echo,
    id: `resp_${frame.id}`,
    object: "response",
    created_at: frame.created,
    status,
    background: false,
    error: null,
    incomplete_details,
    model: model ?? frame.model,
    output,
    previous_response_id: null,
    store: false,
    text: { format: { type: "text" }, ...asObject(text) },
    tools: asObjects(tools).map(restoredTool),
    usage: usage === undefined ? undefined : encodeUsage(usage),
  };
}

/** A tool as responses repeat it: whole, whatever the request left out. */
function restoredTool(tool: JsonObject): JsonObject {
  return tool["type"] === "function" ? { parameters: null, strict: true, ...tool } : tool;
}

/** The values for fields that the request did not state. */
const UNSAID: JsonObject = {
  instructions: null,
  max_output_tokens: null,
  metadata: {},
  parallel_tool_calls: true,
  reasoning: { effort: null, summary: null },
  temperature: null,
  tool_choice: "auto",
  top_p: null,
  truncation: "disabled",
};
