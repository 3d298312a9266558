import type { TextProtocol } from "./text-caller.ts";

/** The parts that a request may have beside its words, in each protocol's own wire form. */

const CITY = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer", minimum: 1, maximum: 7 } },
  required: ["city", "days"],
  additionalProperties: false,
};

/** Two tools that take a city and a number of days. */
export const TOOLS: Readonly<Record<TextProtocol, object>> = {
  "chat-completions": {
    tools: ["get_weather", "get_tide"].map((name) => ({
      type: "function",
      function: { name, description: name, parameters: CITY },
    })),
  },
  responses: {
    tools: ["get_weather", "get_tide"].map((name) => ({
      type: "function",
      name,
      description: name,
      parameters: CITY,
      strict: false,
    })),
  },
  messages: {
    tools: ["get_weather", "get_tide"].map((name) => ({ name, description: name, input_schema: CITY })),
  },
  "generate-content": {
    tools: [
      {
        functionDeclarations: ["get_weather", "get_tide"].map((name) => ({
          name,
          description: name,
          parametersJsonSchema: CITY,
        })),
      },
    ],
  },
};

/** A response that is an object of CITY's form. */
export const STRUCTURED: Readonly<Record<TextProtocol, object>> = {
  "chat-completions": {
    response_format: { type: "json_schema", json_schema: { name: "city", schema: CITY, strict: true } },
  },
  responses: { text: { format: { type: "json_schema", name: "city", schema: CITY, strict: true } } },
  messages: { output_config: { format: { type: "json_schema", schema: CITY } } },
  "generate-content": {
    generationConfig: { responseMimeType: "application/json", responseJsonSchema: CITY },
  },
};

/** One red pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/** A question about a picture: takes the place of the words. */
export function pictured(protocol: TextProtocol, question: string): object {
  const url = `data:image/png;base64,${PNG}`;
  switch (protocol) {
    case "chat-completions": {
      const content = [
        { type: "text", text: question },
        { type: "image_url", image_url: { url } },
      ];
      return { messages: [{ role: "user", content }] };
    }
    case "responses": {
      const content = [
        { type: "input_text", text: question },
        { type: "input_image", image_url: url, detail: "auto" },
      ];
      return { input: [{ role: "user", content }] };
    }
    case "messages": {
      const source = { type: "base64", media_type: "image/png", data: PNG };
      const content = [
        { type: "text", text: question },
        { type: "image", source },
      ];
      return { messages: [{ role: "user", content }] };
    }
    case "generate-content": {
      const parts = [{ text: question }, { inlineData: { mimeType: "image/png", data: PNG } }];
      return { contents: [{ role: "user", parts }] };
    }
  }
}
