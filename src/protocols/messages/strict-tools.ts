import type { LossList } from "../../conversation/loss.ts";
import type { ChatRequest, FunctionTool } from "../../conversation/request.ts";
import { isCompiled, NOTHING, plus, sizeOf } from "./schema-size.ts";

/**
 * The tools that stay strict: the vendor compiles the schemas of strict tools and of the answer together, and
 * refuses the request where they are more than it compiles. The first that fit are kept; the others are tools as
 * all were before there were strict ones.
 */
export function strictTools(request: ChatRequest, losses: LossList): ReadonlySet<FunctionTool> {
  const wished = request.tools.filter((tool) => tool.kind === "function").filter(({ strict }) => strict);
  // Within one protocol it is the caller's business, as when forwarding.
  if (request.protocol === "messages") return new Set(wished);
  const format = request.responseFormat;
  let sum = format?.kind === "schema" ? sizeOf(format.schema) : NOTHING;
  const kept = new Set<FunctionTool>();
  for (const tool of wished) {
    const next = plus(sum, sizeOf(tool.parameters ?? {}));
    if (kept.size >= MAX_TOOLS || !isCompiled(next)) continue;
    sum = next;
    kept.add(tool);
  }
  if (kept.size < wished.length) losses.field("strict", "weakened");
  return kept;
}

/** https://platform.claude.com/docs/en/build-with-claude/structured-outputs, "Schema complexity limits". */
const MAX_TOOLS = 20;
