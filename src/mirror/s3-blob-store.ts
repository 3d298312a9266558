import { createReadStream } from "node:fs";
import { definedFields } from "../base/defined-fields.ts";
import { failpoint } from "../base/failpoint.ts";
import { type BlobStore, MirrorFailure } from "./blob-store.ts";
import { pathOf, readMediaPath } from "./media-name.ts";
import { MEDIA_TYPES } from "./media-type.ts";
import type { S3Client, S3Place, S3Request, S3Response } from "./s3-client.ts";

/**
 * The limit of pages, a thousand keys each. Others may have millions of keys in the bucket that sort before the
 * gateway's: a run does not read them all.
 */
const MAX_PAGES = 100;

/** A bucket, with one folder of each day under the prefix. */
export function createS3BlobStore(door: S3Client, place: S3Place): BlobStore {
  const { prefix } = place;
  /** The last key that a run had time for; "" = the next one begins at the front. */
  let tidiedTo = "";
  const ask = async (wanted: S3Request & { readonly expect: readonly number[] }): Promise<S3Response> => {
    const response = await door.ask(place, { ...wanted, key: wanted.key && prefix + wanted.key });
    if (wanted.expect.includes(response.status)) return response;
    const [, code] = /<Code>(\w+)<\/Code>/.exec(await response.body.text()) ?? [];
    // A bucket that refuses is in order for nobody: the next attempt would be refused as well.
    const why = code === undefined ? "" : ` (${code})`;
    throw new MirrorFailure(`the bucket returned status ${response.status} for ${wanted.method}${why}`, {
      lasting: response.status >= 400 && response.status < 500 && !PASSING.includes(response.status),
    });
  };
  const drop = async (key: string): Promise<void> => {
    const response = await ask({ method: "DELETE", key, expect: [200, 204, 404] });
    await response.body.dump();
  };

  return {
    async put(name, draft, signal) {
      failpoint("mirror.before-put");
      const response = await ask({
        method: "PUT",
        key: pathOf(name),
        sha256: draft.sha256,
        signal,
        expect: [200],
        headers: { "content-length": String(draft.bytes), "content-type": MEDIA_TYPES[name.type] },
        body: createReadStream(draft.path),
      });
      await response.body.dump();
      failpoint("mirror.after-put");
    },
    async size(name) {
      const response = await ask({ method: "HEAD", key: pathOf(name), expect: [200, 404] });
      await response.body.dump();
      return response.status === 404 ? undefined : Number(response.header("content-length"));
    },
    async read(name, { first, last }) {
      const headers = { range: `bytes=${first}-${last}` };
      const response = await ask({ method: "GET", key: pathOf(name), headers, expect: [206] });
      return response.body;
    },
    async dropUpTo(day) {
      let dropped = 0;
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const query = definedFields({
          "list-type": "2",
          prefix,
          "start-after": tidiedTo === "" ? undefined : tidiedTo,
        });
        const response = await ask({ method: "GET", key: "", query, expect: [200] });
        const keys = keysIn(await response.body.text());
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

/** The responses that blame the request, but that another attempt may not get. */
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
