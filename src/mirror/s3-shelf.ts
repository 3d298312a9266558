import { createReadStream } from "node:fs";
import { crashPoint } from "../base/crash-point.ts";
import { isDay, pathOf } from "./media-name.ts";
import { MEDIA_TYPES } from "./media-type.ts";
import { MirrorFailure } from "./mirror-failure.ts";
import type { S3Answer, S3Door, S3Place, S3Request } from "./s3-door.ts";
import type { Shelf } from "./shelf.ts";

/** A bucket, with one folder of each day under the prefix. */
export function createS3Shelf(door: S3Door, place: S3Place): Shelf {
  const { prefix } = place;
  const ask = async (wanted: S3Request & { readonly expect: readonly number[] }): Promise<S3Answer> => {
    const answer = await door.ask(place, { ...wanted, key: wanted.key && prefix + wanted.key });
    if (wanted.expect.includes(answer.status)) return answer;
    await answer.body.dump();
    // A bucket that refuses is in order for nobody: the next attempt would be refused as well.
    throw new MirrorFailure(`the bucket answered ${wanted.method} with status ${answer.status}`, {
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
      // Keys come in order, hence by day; what was dropped is not listed again.
      for (;;) {
        const query = { "list-type": "2", prefix };
        const answer = await ask({ method: "GET", key: "", query, expect: [200] });
        const keys = keysIn(await answer.body.text()).map((key) => key.slice(prefix.length));
        const old = keys.filter((key) => isDay(key.slice(0, 10)) && key.slice(0, 10) <= day);
        for (const key of old) await drop(key);
        dropped += old.length;
        if (old.length === 0 || old.length < keys.length) return dropped;
      }
    },
  };
}

/** Of the answers that blame the request: those that another attempt may not get. */
const PASSING: readonly number[] = [408, 409, 425, 429];

/** Ours hold nothing that XML would escape; a key that does is not ours. */
function keysIn(xml: string): string[] {
  return [...xml.matchAll(/<Key>([^<&]+)<\/Key>/g)].map(([, key = ""]) => key);
}
