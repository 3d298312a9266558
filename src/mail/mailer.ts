import { MAIL_ADDRESS } from "../base/text.ts";
import type { SmtpSettings } from "../catalog/catalog.ts";
import type { MailMessage } from "./message.ts";

export interface MailerOptions {
  /** The mail server as it is set now; null = none. */
  readonly smtp: () => SmtpSettings | null;
  /** The environment, of which the password is one variable. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface Envelope {
  readonly to: string;
  readonly message: MailMessage;
  /** The part before the @ of its Message-ID, the same for each attempt: receivers drop repetitions by it. */
  readonly id: string;
}

/** Why an e-mail was not accepted. */
export interface MailFailure {
  /** Of the server's reply; null = there was none. */
  readonly status: number | null;
  /** A sentence that may be shown to anybody. */
  readonly failure: string;
  /** The server's own words, for operators. */
  readonly detail: string;
  /** The server will never accept this recipient. */
  readonly isFinal: boolean;
}

export interface Mailer {
  /** Sends one e-mail. Gives the status of the server's acceptance, or what kept it from accepting. */
  send(envelope: Envelope): Promise<{ readonly status: number } | MailFailure>;
  /** Connects and signs in, and sends nothing; undefined = all is well. */
  check(): Promise<MailFailure | undefined>;
}

export function createMailer({ smtp, environment }: MailerOptions): Mailer {
  return {
    async send({ to, message, id }) {
      if (!MAIL_ADDRESS.test(to)) return { ...NO_ADDRESS };
      const settings = smtp();
      if (settings === null) return { ...NO_SERVER };
      const { from, fromName } = settings;
      return within(settings, environment, async (transport, signal) => {
        const { response } = await transport.sendMail({
          from: { name: fromName, address: from },
          // An object, because text would be read as a list of addresses.
          to: { name: "", address: to },
          ...message,
          messageId: `<${id}@${from.slice(from.lastIndexOf("@") + 1)}>`,
          headers: { "Auto-Submitted": "auto-generated" },
          disableFileAccess: true,
          disableUrlAccess: true,
          signal,
        });
        return { status: Number(/^\d{3}/.exec(response)?.[0] ?? ACCEPTED) };
      });
    },
    async check() {
      const settings = smtp();
      if (settings === null) return { ...NO_SERVER };
      const found = await within(settings, environment, async (transport) => {
        await transport.verify();
        return { status: ACCEPTED };
      });
      return "failure" in found ? found : undefined;
    },
  };
}

const ACCEPTED = 250;

const NO_ADDRESS: MailFailure = failed("This is no address that mail can be sent to.", true);
const NO_SERVER: MailFailure = failed("No mail server is set (settings.smtp).", false);

function failed(failure: string, isFinal: boolean): MailFailure {
  return { status: null, failure, detail: failure, isFinal };
}

/** Runs with one connection, which is closed in any case and within the time that the settings allow. */
async function within<Result>(
  settings: SmtpSettings,
  environment: MailerOptions["environment"],
  work: (transport: Transport, signal: AbortSignal) => Promise<Result>,
): Promise<Result | MailFailure> {
  const { user, passwordName, timeoutMs } = settings;
  const password = environment[passwordName] ?? "";
  if (user !== null && password === "")
    return failed(
      `The environment variable ${passwordName} with the mail server's password is not set.`,
      false,
    );
  const transport = await openTransport(settings, password);
  const signal = AbortSignal.timeout(timeoutMs);
  // A server that is slow with each step would be waited for at each anew.
  const over = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(new TooLate()), { once: true });
  });
  over.catch(() => undefined);
  try {
    return await Promise.race([work(transport, signal), over]);
  } catch (error) {
    return failureOf(error);
  } finally {
    transport.close();
  }
}

class TooLate extends Error {}

type Transport = Awaited<ReturnType<typeof openTransport>>;

async function openTransport({ host, port, tls, user, timeoutMs }: SmtpSettings, password: string) {
  const { createTransport } = await import("nodemailer");
  return createTransport({
    host,
    port,
    secure: tls === "implicit",
    requireTLS: tls === "starttls",
    ignoreTLS: tls === "none",
    auth: user === null ? undefined : { user, pass: password },
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    tls: { minVersion: "TLSv1.2" },
  });
}

/** What the library says of a failure, as far as it is read. */
interface SmtpError {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
  readonly response?: string;
}

function failureOf(error: unknown): MailFailure {
  const { code = "", command = "", responseCode, response = "" } = error as SmtpError;
  const words = error instanceof Error ? error.message : String(error);
  const detail = shown(response === "" ? words : response);
  if (responseCode !== undefined && responseCode >= 400 && code !== "ETLS") {
    const failure = `The mail server responded ${responseCode}${code === "EAUTH" ? " to the sign-in" : ""}.`;
    return { status: responseCode, failure, detail, isFinal: command === "RCPT TO" && responseCode >= 500 };
  }
  const isLate = error instanceof TooLate || code === "ETIMEDOUT" || code === "EABORT";
  return { status: null, failure: isLate ? LATE : (REASONS[code] ?? UNREACHABLE), detail, isFinal: false };
}

const LATE = "The mail server did not respond in time.";
const UNREACHABLE = "The mail server can't be reached.";
const REASONS: Readonly<Record<string, string>> = {
  EDNS: "The mail server's host name was not found.",
  ETLS: "The connection to the mail server can't be encrypted.",
  EAUTH: "The mail server refused the sign-in.",
  ENOAUTH: "The mail server refused the sign-in.",
  EPROTOCOL: "The mail server's response can't be read.",
  ECONNECTION: "The mail server closed the connection.",
};

/** A server's words, short and on one line. */
function shown(text: string): string {
  return text
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, 300);
}
