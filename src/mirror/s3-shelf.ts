import { createReadStream } from "node:fs";
import { crashPoint } from "../base/crash-point.ts";
import { pathOf, readMediaPath } from "./media-name.ts";
import { MEDIA_TYPES } from "./media-type.ts";
import { MirrorFailure } from "./mirror-failure.ts";
import type { S3Answer, S3Door, S3Place, S3Request } from "./s3-door.ts";
import type { Shelf } from "./shelf.ts";

/** Of a thousand keys each. Others may have millions in the bucket that sort before ours: a run does not read them all. */
const MOST_PAGES = 100;

/** A bucket, with one folder of each day under the prefix. */
export function createS3Shelf(door: S3Door, place: S3Place): Shelf {
  const { prefix } = place;
  /** The last key that a run had time for; "" = the next one begins at the front. */
  let tidiedTo = "";
  const ask = async (wanted: S3Request & { readonly expect: readonly number[] }): Promise<S3Answer> => {
    const answer = await door.ask(place, { ...wanted, key: wanted.key && prefix + wanted.key });
    if (wanted.expect.includes(answer.status)) return answer;
    const [, code] = /<Code>(\w+)<\/Code>/.exec(await answer.body.text()) ?? [];
    // A bucket that refuses is in order for nobody: the next attempt would be refused as well.
    const why = code === undefined ? "" : ` (${code})`;
    throw new MirrorFailure(`the bucket answered ${wanted.method} with status ${answer.status}${why}`, {
      lasting: answer.status >= 400 && answer.status < 500 && !PASSING.includes(answer.status),
    });
  };
  const drop = async (key: string): Promise<void> => {
    const answer = await ask({ method: "DELETE", key, expect: [200, 204, 404] });
    await answer.body.dump();
  };

  return {
    async put(name, draft, signal) {
      crashPoint("mirror.before-put");
      const answer = await ask({
        ...{ method: "PUT", key: pathOf(name), sha256: draft.sha256, signal, expect: [200] },
        headers: { "content-length": String(draft.bytes), "content-type": MEDIA_TYPES[name.type] },
        body: createReadStream(draft.path),
      });
      await answer.body.dump();
      crashPoint("mirror.after-put");
    },
    async size(name) {
      const answer = await ask({ method: "HEAD", key: pathOf(name), expect: [200, 404] });
      await answer.body.dump();
      return answer.status === 404 ? undefined : Number(answer.header("content-length"));
    },
    async read(name, { first, last }) {
      const headers = { range: `bytes=${first}-${last}` };
      const answer = await ask({ method: "GET", key: pathOf(name), headers, expect: [206] });
      return answer.body;
    },
    async dropUpTo(day) {
      let dropped = 0;
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const query = { "list-type": "2", prefix, ...(tidiedTo && { "start-after": tidiedTo }) };
        const answer = await ask({ method: "GET", key: "", query, expect: [200] });
        const keys = keysIn(await answer.body.text());
        for (const key of keys.map((each) => each.slice(prefix.length))) {
          const name = readMediaPath(key);
          if (name === undefined || name.day > day) continue;
          await drop(key);
          dropped += 1;
        }
        tidiedTo = keys.at(-1) ?? "";
        // Keys come in order, hence by day.
        if (keys.length === 0 || tidiedTo.slice(prefix.length) > `${day}/~`) {
          tidiedTo = "";
          break;
        }
      }
      return dropped;
    },
  };
}

/** Of the answers that blame the request: those that another attempt may not get. */
const PASSING: readonly number[] = [408, 409, 425, 429];

function keysIn(xml: string): string[] {
  return [...xml.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key = ""]) => unescapeXml(key));
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Others' keys may hold anything, and a listing goes on after the last one of a page, whosesoever it is. */
function unescapeXml(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) =>
    name === undefined ? String.fromCodePoint(Number(decimal ?? `0x${hex}`)) : (ENTITIES[name] ?? whole),
  );
}
