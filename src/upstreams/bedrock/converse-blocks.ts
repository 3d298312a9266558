import { definedFields } from "../../base/defined-fields.ts";
import { isRecord } from "../../base/json/record.ts";
import type { Loss } from "../../conversation/loss.ts";
import { GatewayError } from "../../errors.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** Refuses what Converse has no place for, by the caller's name of it. */
export function refuse(path: string, message: string): never {
  throw new GatewayError("invalid_request", message, { param: path });
}

/**
 * The words and blocks of one message, or of the instructions, as Converse has them.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html
 */
export function writeBlocks(content: unknown, path: string, losses: Loss[]): readonly JsonObject[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return content === "" ? [] : [{ text: content }];
  if (!Array.isArray(content)) return refuse(path, "Content must be a string or a list of blocks.");
  return content.flatMap((block: unknown, index) => {
    const at = `${path}[${index}]`;
    if (!isRecord(block)) return refuse(at, "A block must be an object.");
    return [writeBlock(block, at, losses), ...withCachePoint(block)];
  });
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CachePointBlock.html: behind what is to be cached. */
export function withCachePoint({ cache_control: mark }: JsonObject): readonly JsonObject[] {
  if (!isRecord(mark)) return [];
  const ttl = typeof mark["ttl"] === "string" ? mark["ttl"] : undefined;
  return [{ cachePoint: definedFields({ type: "default", ttl }) }];
}

function writeBlock(block: JsonObject, path: string, losses: Loss[]): JsonObject {
  switch (block["type"]) {
    case "text":
      if (Array.isArray(block["citations"]) && block["citations"].length > 0)
        losses.push({ path: `${path}.citations`, reason: "no-slot" });
      return { text: block["text"] };
    case "image":
      return { image: writeImage(block, path) };
    case "document":
      return { document: writeDocument(block, path) };
    case "tool_use":
      return { toolUse: { toolUseId: block["id"], name: block["name"], input: block["input"] } };
    case "tool_result":
      return { toolResult: writeResult(block, path, losses) };
    case "thinking":
      return { reasoningContent: { reasoningText: writeThought(block) } };
    case "redacted_thinking":
      return { reasoningContent: { redactedContent: block["data"] } };
    default:
      return refuse(path, `This model's upstream doesn't have blocks of type \`${String(block["type"])}\`.`);
  }
}

/** A thought that nobody signed goes back without a signature. */
function writeThought({ thinking: text, signature }: JsonObject): JsonObject {
  return definedFields({ text, signature: signature === "" ? undefined : signature });
}

function writeResult(block: JsonObject, path: string, losses: Loss[]): JsonObject {
  return definedFields({
    toolUseId: block["tool_use_id"],
    content: writeBlocks(block["content"], `${path}.content`, losses),
    status: block["is_error"] === true ? "error" : undefined,
  });
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ImageBlock.html */
function writeImage({ source }: JsonObject, path: string): JsonObject {
  const { type, data } = inlineSource(source, path);
  const format = /^image\/(png|jpeg|gif|webp)$/.exec(type)?.[1];
  if (format === undefined)
    return refuse(path, "This model's upstream supports images only as JPEG, PNG, GIF or WebP.");
  return { format, source: { bytes: data } };
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html */
function writeDocument(block: JsonObject, path: string): JsonObject {
  const { citations } = block;
  if (isRecord(citations) && citations["enabled"] === true)
    refuse(`${path}.citations`, "This model's upstream can't cite documents. Leave `citations` out.");
  const { type, data } = inlineSource(block["source"], path);
  const isText = type === "text/plain";
  if (!isText && type !== "application/pdf")
    refuse(path, "This model's upstream supports documents only inline, as PDF or text.");
  const context = typeof block["context"] === "string" ? block["context"] : undefined;
  return definedFields({
    format: isText ? "txt" : "pdf",
    name: documentName(block["title"], path),
    source: { bytes: isText ? Buffer.from(data).toString("base64") : data },
    context,
  });
}

const MAX_NAME = 200;

/** One is wanted of each: letters, digits, single spaces, hyphens and brackets. */
function documentName(title: unknown, path: string): string {
  const words = typeof title === "string" ? title.replace(/[^A-Za-z0-9()[\]-]+/g, " ").trim() : "";
  return words === ""
    ? `document ${path.replace(/\D+/g, "-").replace(/^-|-$/g, "")}`
    : words.slice(0, MAX_NAME);
}

function inlineSource(source: unknown, path: string): { readonly type: string; readonly data: string } {
  if (isRecord(source) && (source["type"] === "base64" || source["type"] === "text")) {
    const { media_type: type, data } = source;
    if (typeof type === "string" && typeof data === "string") return { type, data };
  }
  return refuse(
    path,
    "This model's upstream takes media only inline. Send the content instead of a link or file.",
  );
}
