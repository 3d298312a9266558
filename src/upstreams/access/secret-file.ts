import { readFile } from "node:fs/promises";
import { AccessFailure } from "./access.ts";

/** Reads a file from which a credential is taken. Throws AccessFailure if it is missing or empty. */
export async function secretFile(path: string, field: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch {
    throw new AccessFailure(`the file ${path} can't be read`, { advice: `Check ${field}.`, isRefusal: true });
  }
  if (text.trim() !== "") return text;
  throw new AccessFailure(`the file ${path} is empty`, { advice: `Check ${field}.`, isRefusal: true });
}
