import { parseExact, writeExact } from "../../base/json/exact-json.ts";
import { isRecord } from "../../base/json/record.ts";
import type { ResponseReaderOptions, UpstreamResponse } from "../call.ts";
import type { ModelForm } from "../model-form.ts";
import { ConverseEvents } from "./converse-events.ts";
import { CONVERSE_MODELS } from "./converse-models.ts";
import { writeConverse } from "./converse-request.ts";
import { readConverse } from "./converse-response.ts";
import { whyMalformed } from "./malformed-response.ts";
import { openFramedStream } from "./model-stream.ts";

/**
 * Models that Bedrock serves in its own form, Converse. Its content is that of Claude's vendor in other words, so that whoever is above
 * the transport knows the one form, and what neither has a place for is found by the translation to it.
 */
export const CONVERSE: ModelForm = {
  names: CONVERSE_MODELS,
  path: "/model/{model}/converse",
  streamPath: "/model/{model}/converse-stream",
  writeBody(body, model) {
    const asked = parseExact(Buffer.concat(body).toString("utf8"));
    const { body: written, losses } = writeConverse(isRecord(asked) ? asked : {}, model);
    return { body: Buffer.from(writeExact(written)), losses };
  },
  openResponse: openConverse,
};

/** The largest answer of a model is far below; whatever is larger is none. */
const MAX_PLAIN_BYTES = 32 * 1024 * 1024;

/** Passes a response on in the form of Claude's vendor; what is no success comes as it is. */
function openConverse(response: UpstreamResponse, options: ResponseReaderOptions): UpstreamResponse {
  const { name, model, fail } = options;
  let id = "";
  let events: ConverseEvents | undefined;
  let plain: Buffer[] | undefined;
  let bytes = 0;

  const rest: UpstreamResponse = {
    head(status, headers) {
      id = `msg_${headers.get("x-amzn-requestid") ?? "bedrock"}`;
      const isSuccess = status >= 200 && status <= 299;
      const isJson = (headers.get("content-type") ?? "").toLowerCase().startsWith("application/json");
      if (isSuccess && isJson) plain = [];
      response.head(status, headers);
    },
    data(chunk) {
      if (plain === undefined) return response.data(chunk);
      bytes += chunk.length;
      if (bytes > MAX_PLAIN_BYTES) return unreadable("it is too large");
      plain.push(chunk);
    },
    ended() {
      if (plain !== undefined) {
        try {
          const read = readConverse(parseExact(Buffer.concat(plain).toString("utf8")), { id, model });
          response.data(Buffer.from(writeExact(read)));
        } catch (error) {
          return unreadable(whyMalformed(error));
        }
      }
      response.ended();
    },
    failed: (failure) => response.failed(failure),
  };

  function unreadable(why: string): void {
    const message = `${name} sent a response that can't be read: ${why}.`;
    fail({ kind: "protocol", phase: "body", message });
  }

  return openFramedStream(rest, options, (message) => {
    events ??= new ConverseEvents({ id, model });
    return events.read(message);
  });
}
