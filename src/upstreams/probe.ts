import { Deadlines } from "../base/async/deadlines.ts";
import type { Clock } from "../base/clock.ts";
import type { Credential, Timeouts, Upstream } from "../catalog/catalog.ts";
import { silentLog } from "../observe/log.ts";
import { PROTOCOLS } from "../protocols/table.ts";
import { kindOf, type UpstreamKind } from "./kinds.ts";
import { endpointPath } from "./transport/endpoint-url.ts";
import { credentialHeader } from "./transport/headers.ts";
import { TransportCall } from "./transport/transport-call.ts";
import { createConnectionPool } from "./transport/transport-connections.ts";

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

/** A request that no vendor bills. */
interface Trial {
  readonly method: "GET" | "POST";
  /** Below the base URL. */
  readonly path: string;
}

interface Response {
  readonly status: number;
  /** Its beginning. */
  readonly text: string;
}

/**
 * What a trial found.
 * - `well`: it answers.
 * - `away`: nothing answers there, or only a fault of its own.
 * - `refused`: it does not take our key.
 * - `wrong`: it is called in a way that it does not know.
 */
export interface TrialResult {
  readonly found: "well" | "away" | "refused" | "wrong";
  /** A sentence that says what is wrong and what to do; undefined = all is well. */
  readonly problem: string | undefined;
}

/** As tryUpstream, for who only reads: undefined when all is well, else the sentence. */
export async function probeUpstream(
  upstream: Upstream,
  credential: Credential,
  deps: { readonly clock: Clock },
): Promise<string | undefined> {
  const { problem } = await tryUpstream(upstream, credential, deps);
  return problem;
}

/**
 * Tries an upstream without spending anything: its list of models, with the credential; where it has none, an empty
 * request, which every vendor refuses; kinds without either only have to answer HTTP. Never rejects.
 */
export async function tryUpstream(
  upstream: Upstream,
  credential: Credential,
  { clock }: { readonly clock: Clock },
): Promise<TrialResult> {
  const kind = kindOf(upstream.kind);
  if (kind === undefined)
    return { found: "wrong", problem: `no kind is named ${upstream.kind}; see the list of kinds` };
  const ask = (trial: Trial): Promise<Response> => responseTo(trial, { upstream, credential, kind, clock });
  try {
    const list = kind.modelsPath === null ? undefined : await ask({ method: "GET", path: kind.modelsPath });
    if (list !== undefined && !isNothingThere(list)) return resultOf(kind, list);
    const empty = emptyRequest(upstream, kind);
    if (empty !== undefined) {
      const refusal = await ask(empty);
      return isNothingThere(refusal) ? wrongAddress(upstream, empty, refusal) : resultOf(kind, refusal);
    }
    if (list === undefined) await ask({ method: "GET", path: "/" });
    return WELL;
  } catch (error) {
    return { found: "away", problem: error instanceof Error ? error.message : String(error) };
  }
}

/** To the first endpoint that requests would go to. */
function emptyRequest(upstream: Upstream, kind: UpstreamKind): Trial | undefined {
  const protocol = upstream.protocols.find((name) => kind.paths[name] !== undefined);
  const [model] = upstream.models.values();
  if (protocol === undefined || model === undefined) return undefined;
  const order = { protocol, model, streamed: false, arrayStream: false, query: {} };
  return { method: "POST", path: endpointPath("", kind, order) };
}

interface TrialParts {
  readonly upstream: Upstream;
  readonly credential: Credential;
  readonly kind: UpstreamKind;
  readonly clock: Clock;
}

/** Rejects with what is wrong where no answer comes. */
async function responseTo(
  { method, path }: Trial,
  { upstream, credential, kind, clock }: TrialParts,
): Promise<Response> {
  const deadlines = new Deadlines<TransportCall>(clock);
  const lines = createConnectionPool();
  try {
    return await new Promise<Response>((resolve, reject) => {
      let status = 0;
      let text = "";
      const judge = (): void => resolve({ status, text });
      const receiver = {
        head(answered: number) {
          status = answered;
        },
        data(chunk: Buffer) {
          text += chunk.toString("latin1");
          if (text.length >= READ_BYTES) judge();
        },
        ended: judge,
        failed: ({ message }: { readonly message: string }) =>
          reject(new Error(`${message} Check base_url and the network.`)),
      };
      const options = { streamed: false, repeatable: false, deadlines, log: silentLog };
      const call = new TransportCall(receiver, {
        upstream: { ...upstream, timeouts: TIMEOUTS },
        ...options,
      });
      call.dispatch(lines.to(upstream), (prefix) => ({
        method,
        path: prefix + path,
        headers: [
          ...["accept", "application/json", "accept-encoding", "identity", "user-agent", "faregate"],
          ...versionOf(kind),
          ...credentialHeader(credential, kind),
          ...(method === "POST" ? ["content-type", "application/json"] : []),
        ],
        body: method === "POST" ? "{}" : null,
        headersTimeout: 0,
        bodyTimeout: 0,
      }));
      call.sent();
    });
  } finally {
    for (const call of deadlines.running()) call.abort();
    deadlines.close();
    lines.close();
  }
}

/** A list of models wants the version of the protocols that have one. */
function versionOf({ protocols, versionHeader }: UpstreamKind): readonly string[] {
  for (const protocol of protocols) {
    const { version } = PROTOCOLS[protocol].endpoint;
    if (version !== undefined) return [versionHeader, version];
  }
  return [];
}

function isNothingThere({ status }: Response): boolean {
  return status === 404 || status === 405;
}

function wrongAddress({ baseUrl }: Upstream, { path }: Trial, { status }: Response): TrialResult {
  const problem =
    `has nothing at base_url + ${path} (status ${status}); check base_url, now ${baseUrl}, ` +
    "which is followed by exactly that";
  return { found: "wrong", problem };
}

const WELL: TrialResult = { found: "well", problem: undefined };

function resultOf(kind: UpstreamKind, { status, text }: Response): TrialResult {
  const words = text.toLowerCase();
  const faulty = kind.accountFaults.some(
    (fault) => fault.status === status && words.includes(fault.contains),
  );
  if (status === 401 || status === 403 || status === 402 || faulty) {
    const problem = `responds, but refuses the key (status ${status}); check api_key and the account's credit`;
    return { found: "refused", problem };
  }
  if (status >= 300 && status < 400) {
    return { found: "wrong", problem: `redirects (status ${status}); base_url must be the final URL` };
  }
  if (status >= 500) {
    return { found: "away", problem: `returned an error (status ${status}); try again later` };
  }
  // A vendor that limits our rate is there all the same, and so is one that does not like the empty request.
  return WELL;
}
