import type { Effort, Tool } from "./conversation.ts";

/** What stands in the fields beside a chat. */
export interface Settings {
  readonly system: string;
  readonly temperature: string;
  readonly topP: string;
  readonly maxTokens: string;
  readonly effort: Effort;
  /** JSON. */
  readonly tools: string;
}

export const NO_SETTINGS: Settings = {
  system: "",
  temperature: "",
  topP: "",
  maxTokens: "",
  effort: "",
  tools: "",
};

/** The settings as a request takes them; undefined where the tools are none. */
export function readSettings({ system, temperature, topP, maxTokens, effort, tools }: Settings) {
  const declared = readTools(tools);
  return (
    declared && {
      system,
      effort,
      tools: declared,
      temperature: numberOf(temperature),
      topP: numberOf(topP),
      maxTokens: numberOf(maxTokens),
    }
  );
}

function numberOf(text: string): number | undefined {
  const number = Number(text);
  return text.trim() === "" || Number.isNaN(number) ? undefined : number;
}

function readTools(text: string): readonly Tool[] | undefined {
  if (text.trim() === "") return [];
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every(isTool)
      ? value.map(({ name, description = "", parameters }) => ({ name, description, parameters }))
      : undefined;
  } catch {
    return undefined;
  }
}

function isTool(value: unknown): value is Omit<Tool, "description"> & { readonly description?: string } {
  const tool = value as Partial<Tool> | null;
  return (
    typeof tool?.name === "string" &&
    typeof tool.parameters === "object" &&
    (tool.description === undefined || typeof tool.description === "string")
  );
}

export const EXAMPLE_TOOLS = `[
  {
    "name": "get_weather",
    "description": "The weather of a city now",
    "parameters": {
      "type": "object",
      "properties": { "city": { "type": "string" } },
      "required": ["city"]
    }
  }
]`;
