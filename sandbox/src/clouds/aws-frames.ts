const TABLE = Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});

function crc32(bytes: Buffer): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = (value >>> 8) ^ (TABLE[(value ^ byte) & 0xff] ?? 0);
  return (value ^ 0xffffffff) >>> 0;
}

const STRING = 7;

/** One message of an event stream: https://smithy.io/2.0/aws/amazon-eventstream.html */
function frame(headers: Readonly<Record<string, string>>, payload: Buffer): Buffer {
  const head = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const bytes = Buffer.from(value);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(bytes.length);
      return Buffer.concat([
        Buffer.from([name.length]),
        Buffer.from(name),
        Buffer.from([STRING]),
        length,
        bytes,
      ]);
    }),
  );
  const whole = Buffer.alloc(12 + head.length + payload.length + 4);
  whole.writeUInt32BE(whole.length, 0);
  whole.writeUInt32BE(head.length, 4);
  whole.writeUInt32BE(crc32(whole.subarray(0, 8)), 8);
  head.copy(whole, 12);
  payload.copy(whole, 12 + head.length);
  whole.writeUInt32BE(crc32(whole.subarray(0, whole.length - 4)), whole.length - 4);
  return whole;
}

const JSON_TYPE = { ":content-type": "application/json" };
const PADDING = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/** A part of a model's response, padded so that its length says little. */
export function chunkFrame(json: string): Buffer {
  const payload = {
    bytes: Buffer.from(json).toString("base64"),
    p: PADDING.slice(0, 1 + (json.length % 60)),
  };
  const headers = { ":event-type": "chunk", ...JSON_TYPE, ":message-type": "event" };
  return frame(headers, Buffer.from(JSON.stringify(payload)));
}

/** An event that is a JSON object, padded in the same way. */
export function eventFrame(type: string, payload: object): Buffer {
  const headers = { ":event-type": type, ...JSON_TYPE, ":message-type": "event" };
  const p = PADDING.slice(0, 1 + (JSON.stringify(payload).length % 60));
  return frame(headers, Buffer.from(JSON.stringify({ ...payload, p })));
}

export function exceptionFrame(type: string, message: string): Buffer {
  const headers = { ":exception-type": type, ...JSON_TYPE, ":message-type": "exception" };
  return frame(headers, Buffer.from(JSON.stringify({ message })));
}
