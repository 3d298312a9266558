/** A image of a form, as a data URL. */
export interface FilePart {
  readonly field: string;
  /** Without its ending, which its type gives. */
  readonly name: string;
  readonly url: string;
}

export interface Form {
  readonly contentType: string;
  readonly body: Uint8Array;
}

const DATA_URL = /^data:(image\/([\w.+-]+))(?:;[a-z0-9=-]+)*;base64,/i;

/**
 * A form of texts and files (RFC 7578). The boundary is made of `seed`, which must be hard to guess for whoever
 * wrote the texts: none of them can then end a part. Throws RangeError for a file that is no base64 data URL.
 */
export function multipart(
  texts: Readonly<Record<string, string>>,
  files: readonly FilePart[],
  seed: string,
): Form {
  const boundary = `faregate-${seed}`;
  const pieces: Uint8Array[] = [];
  const line = (text: string): void => void pieces.push(Buffer.from(`${text}\r\n`));
  for (const [name, text] of Object.entries(texts)) {
    line(`--${boundary}`);
    line(`content-disposition: form-data; name="${name}"\r\n`);
    line(text);
  }
  for (const { field, name, url } of files) {
    const head = DATA_URL.exec(url);
    if (head === null)
      throw new RangeError("a reference picture was not fetched before it is sent as a file");
    const [prefix, type = "", subtype = ""] = head;
    line(`--${boundary}`);
    line(`content-disposition: form-data; name="${field}"; filename="${name}.${endingOf(subtype)}"`);
    line(`content-type: ${type.toLowerCase()}\r\n`);
    pieces.push(Buffer.from(url.slice(prefix.length), "base64"), Buffer.from("\r\n"));
  }
  line(`--${boundary}--`);
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: Buffer.concat(pieces) };
}

function endingOf(subtype: string): string {
  return subtype.toLowerCase() === "jpeg" ? "jpg" : subtype.toLowerCase().replace(/\+.*$/, "");
}
