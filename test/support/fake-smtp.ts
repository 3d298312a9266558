import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";

/** An e-mail that the server was given. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers by name in lower case, unfolded and decoded. */
  readonly headers: ReadonlyMap<string, string>;
  /** The header as it came, to see what stands in it. */
  readonly head: string;
  readonly text: string;
  readonly html: string;
  /** It came over TLS. */
  readonly isEncrypted: boolean;
  /** The user and password that were shown; undefined = none. */
  readonly signedInAs: string | undefined;
}

/** How the server treats the next connections, each once; then it accepts. */
export type Behaviour =
  | "accept"
  | "hang"
  | "drop after DATA"
  | { readonly reply: string; readonly to: "EHLO" | "AUTH" | "RCPT" | "DATA" };

export interface FakeSmtp {
  readonly port: number;
  /** What was accepted, in this order. */
  readonly received: readonly ReceivedMail[];
  /** How many connections there were. */
  connections(): number;
  next(...behaviours: readonly Behaviour[]): void;
  close(): Promise<void>;
}

export interface FakeSmtpOptions {
  /** Offers STARTTLS with this. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** "user:password", without which it takes nothing. */
  readonly login?: string;
}

/** A small mail server: takes messages for anybody, and misbehaves where it is told to. */
export async function startFakeSmtp(options: FakeSmtpOptions = {}): Promise<FakeSmtp> {
  const received: ReceivedMail[] = [];
  const behaviours: Behaviour[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
    const behaviour = behaviours.shift() ?? "accept";
    if (behaviour !== "hang") serve(socket, behaviour, options, received);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    received,
    connections: () => connections,
    next: (...wanted) => void behaviours.push(...wanted),
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function serve(
  plain: Socket,
  behaviour: Behaviour,
  { tls, login }: FakeSmtpOptions,
  received: ReceivedMail[],
): void {
  let socket: Socket = plain;
  let waiting = "";
  let from = "";
  let to: string[] = [];
  let signedInAs: string | undefined;
  let isData = false;
  const say = (line: string): void => void socket.write(`${line}\r\n`);
  const otherwise = (command: string): string | undefined =>
    typeof behaviour === "object" && behaviour.to === command ? behaviour.reply : undefined;

  const hear = (chunk: Buffer): void => {
    waiting += chunk.toString("latin1");
    for (;;) {
      const ending = isData ? "\r\n.\r\n" : "\r\n";
      const end = waiting.indexOf(ending);
      if (end < 0) return;
      const said = waiting.slice(0, end);
      waiting = waiting.slice(end + ending.length);
      const reply = isData ? take(said) : answer(said);
      if (reply !== undefined) say(reply);
    }
  };

  const take = (raw: string): string | undefined => {
    isData = false;
    if (behaviour === "drop after DATA") {
      socket.destroy();
      return undefined;
    }
    const refusal = otherwise("DATA");
    if (refusal === undefined)
      received.push({ from, to, ...readMail(raw), isEncrypted: socket instanceof TLSSocket, signedInAs });
    return refusal ?? "250 2.0.0 accepted";
  };

  /** The reply to a command; undefined = there is none. */
  const answer = (line: string): string | undefined => {
    const [command = "", ...rest] = line.split(" ");
    switch (command.toUpperCase()) {
      case "EHLO":
      case "HELO": {
        const offers = ["fake.example"];
        if (tls !== undefined && !(socket instanceof TLSSocket)) offers.push("STARTTLS");
        if (login !== undefined) offers.push("AUTH PLAIN");
        offers.push("8BITMIME");
        const lines = offers.map((offer, at) => `250${at === offers.length - 1 ? " " : "-"}${offer}`);
        return otherwise("EHLO") ?? lines.join("\r\n");
      }
      case "STARTTLS":
        if (tls === undefined) return "502 5.5.1 no TLS here";
        say("220 go ahead");
        plain.removeAllListeners("data");
        socket = new TLSSocket(plain, { isServer: true, secureContext: createSecureContext(tls) });
        socket.on("data", hear);
        socket.on("error", () => undefined);
        return undefined;
      case "AUTH": {
        const given = Buffer.from(rest[1] ?? "", "base64")
          .toString()
          .split("\0")
          .slice(1)
          .join(":");
        const refusal = otherwise("AUTH") ?? (given === login ? undefined : "535 5.7.8 wrong password");
        if (refusal === undefined) signedInAs = given;
        return refusal ?? "235 2.7.0 welcome";
      }
      case "MAIL":
        from = between(line);
        to = [];
        return login === undefined || signedInAs !== undefined
          ? "250 2.1.0 sender ok"
          : "530 5.7.0 sign in first";
      case "RCPT": {
        const refusal = otherwise("RCPT");
        if (refusal === undefined) to.push(between(line));
        return refusal ?? "250 2.1.5 recipient ok";
      }
      case "DATA":
        isData = true;
        return "354 end with a dot";
      case "QUIT":
        socket.end("221 2.0.0 bye\r\n");
        return undefined;
      default:
        return "250 2.0.0 ok";
    }
  };
  socket.on("data", hear);
  say("220 fake.example ESMTP");
}

const between = (line: string): string => /<([^>]*)>/.exec(line)?.[1] ?? "";

function readMail(raw: string): Pick<ReceivedMail, "headers" | "head" | "text" | "html"> {
  const whole = raw.replace(/(^|\r\n)\.\./g, "$1.");
  const { head, body } = headAndBody(whole);
  const boundary = /boundary="([^"]+)"/.exec(head)?.[1];
  const parts = boundary === undefined ? [whole] : body.split(`--${boundary}`).slice(1, -1);
  const find = (type: string): string => {
    const part = parts
      .map((each) => headAndBody(each.replace(/^\r\n/, "")))
      .find((each) => each.head.includes(type));
    return part === undefined ? "" : decodeBody(part).replaceAll("\r\n", "\n").trimEnd();
  };
  const headers = new Map(
    head
      .replace(/\r\n[ \t]+/g, " ")
      .split("\r\n")
      .map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), decodeWords(line.slice(colon + 1).trim())] as const;
      }),
  );
  return { headers, head, text: find("text/plain"), html: find("text/html") };
}

function headAndBody(text: string): { head: string; body: string } {
  const end = text.indexOf("\r\n\r\n");
  return { head: text.slice(0, end), body: text.slice(end + 4) };
}

function decodeBody({ head, body }: { readonly head: string; readonly body: string }): string {
  const coding = /content-transfer-encoding: *(\S+)/i.exec(head)?.[1]?.toLowerCase();
  if (coding === "base64") return Buffer.from(body, "base64").toString();
  if (coding !== "quoted-printable") return Buffer.from(body, "latin1").toString();
  const bytes = body
    .replace(/=\r\n/g, "")
    .replace(/=([0-9A-F]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString();
}

/** RFC 2047: =?UTF-8?B?...?= and =?UTF-8?Q?...?=. */
function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(/=\?UTF-8\?([BQ])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toUpperCase() === "B"
        ? Buffer.from(word, "base64").toString()
        : Buffer.from(
            word
              .replaceAll("_", " ")
              .replace(/=([0-9A-F]{2})/gi, (__, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
            "latin1",
          ).toString(),
    );
}

const pem = (name: string): string =>
  readFileSync(new URL(`certificates/${name}.pem`, import.meta.url), "utf8");

/** The tests' certificate for 127.0.0.1, which their own authority has signed. */
export const TEST_CERTIFICATE = { key: pem("key"), cert: pem("sound") };
