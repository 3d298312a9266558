import fc from "fast-check";
import { expect, it } from "vitest";
import { nearbyPath } from "./router.ts";

const PATTERNS = [
  "/v1/chat/completions",
  "/v1/messages",
  "/v1/responses/:id",
  "/v1beta/messages",
  "/v2/videos/generations",
  "/v2/videos/generations/:id",
  "/v1/models/*",
  "/v1beta/models/*",
  "/api/operator/routing",
  "/accounts/*",
];

it.each([
  ["/chat/completions", "/v1/chat/completions exists: end the client's base URL with /v1"],
  ["/models/text:generateContent", "end the client's base URL with /v1beta"],
  ["/models/claude", "/v1/models/claude exists: end the client's base URL with /v1"],
  [
    "/v1/v1beta/models/text:generateContent",
    "/v1beta/models/text:generateContent exists: remove /v1 from the client's base URL",
  ],
  ["/v1/v1/models/maker/text", "/v1/models/maker/text exists: remove /v1 from"],
  ["/v1/v1/messages", "/v1/messages exists: remove /v1 from the client's base URL"],
  ["/v1beta/v1/chat/completions", "remove /v1beta from the client's base URL"],
  ["/api/v1/responses/resp_1", "remove /api from the client's base URL"],
  ["/openai/deployments/v1/messages", "remove /openai/deployments from the client's base URL"],
  ["/operator/routing", "/api/operator/routing exists"],
  ["/v1/videos/generations", "/v2/videos/generations exists"],
  ["/v1/videos/generations/task-1", "/v2/videos/generations/task-1 exists"],
  ["/v1beta/responses/resp_1", "/v1/responses/resp_1 exists"],
  ["/v1/chat/completion", "/v1/chat/completions exists"],
  ["/v1/message", "/v1/messages exists"],
  ["/v1/response/resp_1", "/v1/responses/resp_1 exists"],
])("%s is told what is near it", (path, sentence) => {
  expect(nearbyPath(path, PATTERNS)).toContain(sentence);
});

it.each([
  "/",
  "/v1",
  "/v1/chat",
  "/v2/chat",
  "/accounts/1",
  "/v1/accounts/1",
  "/v1/v1/models/",
  "/wp-login.php",
  "/v1/responses/",
  "/v1/messages",
])("%s is near nothing", (path) => {
  expect(nearbyPath(path, PATTERNS)).toBeUndefined();
});

it("names an endpoint that is served, whatever is asked for", () => {
  const part = fc.constantFrom("v1", "v1beta", "api", "chat", "completions", "messages", "x", "responses");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const told = nearbyPath(`/${parts.join("/")}`, PATTERNS);
      if (told !== undefined) expect(told).toMatch(/^\/(v1|v1beta|v2|api)\/\S+ exists/);
    }),
  );
});
