import { arrayOr, isAbsent, type Json, type JsonObject, objectOr } from "../../json.ts";
import type { CacheTtl } from "../../prompt.ts";
import { refuse } from "../../refusal.ts";

const MAX_MARKS = 4;

interface Mark {
  path: string;
  ttl: CacheTtl;
}

/** The `cache` field of a part or tool, if its block carries `cache_control`. */
export function cacheMark(block: JsonObject): { cache?: CacheTtl } {
  const control = block["cache_control"];
  if (isAbsent(control)) return {};
  return { cache: objectOr(control)["ttl"] === "1h" ? "1h" : "5m" };
}

/** At most four marks, of known lifetimes, the longer-lived first: as the vendor demands. */
export function checkCacheMarks(body: JsonObject): void {
  const marks: Mark[] = [
    ...marksOf(body["tools"], "tools"),
    ...marksOf(body["system"], "system"),
    ...arrayOr(body["messages"]).flatMap((turn, index) =>
      marksOf(objectOr(turn)["content"], `messages.${index}.content`),
    ),
  ];
  if (!isAbsent(body["cache_control"]))
    marks.push(readMark(objectOr(body["cache_control"]), "cache_control"));
  if (marks.length > MAX_MARKS) {
    refuse(`A maximum of ${MAX_MARKS} blocks with cache_control may be provided. Found ${marks.length}.`);
  }
  const firstShort = marks.findIndex((mark) => mark.ttl === "5m");
  const late = firstShort === -1 ? undefined : marks.slice(firstShort).find((mark) => mark.ttl === "1h");
  if (late !== undefined) {
    refuse(
      `${late.path}.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. ` +
        "Note that blocks are processed in the following order: `tools`, `system`, `messages`.",
    );
  }
}

function marksOf(blocks: Json | undefined, path: string): Mark[] {
  return arrayOr(blocks).flatMap((block, index) => {
    const control = objectOr(block)["cache_control"];
    return isAbsent(control) ? [] : [readMark(objectOr(control), `${path}.${index}.cache_control`)];
  });
}

function readMark(control: JsonObject, path: string): Mark {
  if (control["type"] !== "ephemeral") {
    refuse(`${path}: Input tag does not match any of the expected tags: 'ephemeral'`);
  }
  const ttl = control["ttl"] ?? "5m";
  if (ttl !== "5m" && ttl !== "1h") return refuse(`${path}.ephemeral.ttl: Input should be '5m' or '1h'`);
  return { path, ttl };
}
