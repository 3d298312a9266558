import type { Clock } from "../base/clock.ts";
import type { Credential, Timeouts, Upstream } from "../catalog/catalog.ts";
import { silentLog } from "../observe/log.ts";
import type { UpstreamAnswer } from "./call.ts";
import { Deadlines } from "./deadlines.ts";
import { credentialHeader } from "./headers.ts";
import { kindOf, type UpstreamKind } from "./kinds.ts";
import { Flight } from "./transport-flight.ts";
import { createLines } from "./transport-lines.ts";

/** A person waits for the result. */
const TIMEOUTS: Timeouts = {
  connectMs: 5_000,
  firstByteStreamMs: 10_000,
  firstBytePlainMs: 10_000,
  idleMs: 5_000,
  totalMs: 15_000,
};

/** Enough of an answer to find a vendor's words about a key. */
const READ_BYTES = 16 * 1024;

/**
 * Tries an upstream without spending anything: its list of models, with the credential; kinds without
 * such a list only have to answer HTTP. Resolves to undefined when all is well, else to a sentence that
 * says what is wrong and what to do. Never rejects.
 */
export function probeUpstream(
  upstream: Upstream,
  credential: Credential,
  deps: { readonly clock: Clock },
): Promise<string | undefined> {
  const kind = kindOf(upstream.kind);
  if (kind === undefined) return Promise.resolve(`no kind is named ${upstream.kind}; see the list of kinds`);
  const deadlines = new Deadlines<Flight>(deps.clock);
  const lines = createLines();
  return new Promise<string | undefined>((resolve) => {
    const flight = new Flight(readProbe(kind, resolve), {
      upstream: { ...upstream, timeouts: TIMEOUTS },
      ...{ streamed: false, deadlines, log: silentLog },
    });
    try {
      const line = lines.to(upstream);
      const headers = ["accept", "application/json", "accept-encoding", "identity", "user-agent", "faregate"];
      flight.leave(line, {
        method: "GET",
        path: `${line.prefix}${kind.modelsPath ?? "/"}`,
        headers: [...headers, ...versionHeader(kind), ...credentialHeader(credential, kind)],
        headersTimeout: 0,
        bodyTimeout: 0,
      });
    } catch (error) {
      resolve(error instanceof Error ? error.message : String(error));
    }
    flight.sent();
  }).finally(() => {
    for (const flight of deadlines.running()) flight.abort();
    deadlines.close();
    lines.close();
  });
}

function versionHeader(kind: UpstreamKind): readonly string[] {
  return kind.protocols.includes("messages") ? [kind.versionHeader, "2023-06-01"] : [];
}

function readProbe(kind: UpstreamKind, resolve: (problem: string | undefined) => void): UpstreamAnswer {
  let status = 0;
  let text = "";
  const judge = (): void => resolve(kind.modelsPath === null ? undefined : problemOf(kind, status, text));
  return {
    head(answered) {
      status = answered;
    },
    data(chunk) {
      text += chunk.toString("latin1");
      if (text.length >= READ_BYTES) judge();
    },
    ended: judge,
    failed: ({ message }) => resolve(`${message} Check base_url and the network.`),
  };
}

function problemOf(kind: UpstreamKind, status: number, text: string): string | undefined {
  const words = text.toLowerCase();
  const faulty = kind.accountFaults.some(
    (fault) => fault.status === status && words.includes(fault.contains),
  );
  if (status === 401 || status === 403 || status === 402 || faulty) {
    return `answers, but refuses the key (status ${status}); check api_key and the account's credit there`;
  }
  if (status >= 300 && status < 400)
    return `redirects (status ${status}); base_url must name the final address`;
  if (status >= 500) return `answers with an error of its own (status ${status}); try again later`;
  // A vendor without a model list, or one that limits its rate, is there all the same.
  return undefined;
}
