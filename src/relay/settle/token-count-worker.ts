import { parentPort } from "node:worker_threads";
import { readPrompt } from "../../protocols/prompt-text.ts";
import { FRAME_TOKENS, IMAGE_TOKENS, loadCounter } from "./tokenizer.ts";

/** Request bodies of any protocol, each of which is counted; JSON that was found sound. */
export type CountMessage = readonly Uint8Array[];

/** Tokens of each, in the same order, before what is learnt of the model. */
export type CountResponse = readonly number[];

/** A page of a document is read as text and as an image. */
const PAGE_TOKENS = 2_000;

/** Base64 characters of a page of an ordinary PDF. */
const PAGE_CHARS = 70_000;

parentPort?.on("message", async (bodies: CountMessage) => {
  const count = await loadCounter();
  const counted: CountResponse = bodies.map((body) => {
    const { text, tokens } = readPrompt([body]);
    return count(text) + tokens + FRAME_TOKENS + mediaTokens(JSON.parse(Buffer.from(body).toString("utf8")));
  });
  parentPort?.postMessage(counted);
});

/** Images and documents by rule, wherever they stand. */
function mediaTokens(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const own = Array.isArray(value) ? 0 : tokensOfPart(value as Readonly<Record<string, unknown>>);
  if (own > 0) return own;
  let sum = 0;
  for (const field of Object.values(value)) sum += mediaTokens(field);
  return sum;
}

function tokensOfPart(part: Readonly<Record<string, unknown>>): number {
  const type = part["type"];
  const mime = part["mimeType"] ?? part["mime_type"];
  if (typeof mime === "string" && mime.startsWith("image/")) return IMAGE_TOKENS;
  if (typeof type === "string" && IMAGES.has(type)) return IMAGE_TOKENS;
  const isDocument = mime === "application/pdf" || (typeof type === "string" && DOCUMENTS.has(type));
  return isDocument ? Math.max(1, Math.ceil(JSON.stringify(part).length / PAGE_CHARS)) * PAGE_TOKENS : 0;
}

const IMAGES: ReadonlySet<string> = new Set(["image", "image_url", "input_image"]);
const DOCUMENTS: ReadonlySet<string> = new Set(["document", "file", "input_file"]);
