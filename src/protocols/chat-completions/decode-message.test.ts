import { describe, expect, it } from "vitest";
import { plan } from "../../../test/support/conversation-arbitraries.ts";
import { collectEvents } from "../../conversation/adapt/collect.ts";
import type { Translation } from "../translation.ts";
import { chatCompletions } from "./codec.ts";

const codec = chatCompletions.translation as Translation;

describe("images among the parts of a chat's content (vLLM)", () => {
  const image_url = { url: "data:image/png;base64,iVBORw0KGgo=" };
  const content = [
    { type: "text", text: "Look" },
    { type: "image_url", image_url },
  ];

  it.each(["message", "delta"])("are told of a %s", (holder) => {
    const body = { choices: [{ index: 0, [holder]: { content }, finish_reason: "stop" }] };
    const run = codec.decodeStream(plan("chat-completions"));
    const outcome =
      holder === "message"
        ? codec.decodeResponse(body, plan("chat-completions"))
        : collectEvents([...run.step({ data: JSON.stringify(body) }), ...run.end()]);
    expect(outcome).toMatchObject({
      response: {
        choices: [
          {
            parts: [
              { kind: "text", text: "Look" },
              { kind: "media", media: "image", mimeType: "image/png" },
            ],
          },
        ],
      },
    });
  });
});
