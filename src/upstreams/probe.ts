import { type Credential, protocolsAt, type Upstream } from "../catalog/catalog.ts";
import type { AccessDeps } from "./access/known-access.ts";
import { kindOf, type UpstreamKind } from "./kinds.ts";
import { type OneRequest, requestOnce } from "./one-request.ts";
import { endpointPath } from "./transport/endpoint-url.ts";

/** Enough of a response to find a vendor's words about a key. */
const READ_BYTES = 16 * 1024;

/** A request that no vendor bills. */
type Trial = Pick<OneRequest, "method" | "path">;

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
  deps: AccessDeps,
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
  deps: AccessDeps,
): Promise<TrialResult> {
  const kind = kindOf(upstream.kind);
  if (kind === undefined)
    return { found: "wrong", problem: `no kind is named ${upstream.kind}; see the list of kinds` };
  const ask = async (trial: Trial): Promise<Response> => {
    const request = { ...trial, maxBytes: READ_BYTES };
    const { status, body } = await requestOnce(request, { upstream, credential, kind, ...deps });
    return { status, text: body.toString("latin1") };
  };
  try {
    const list = kind.modelsPath === null ? undefined : await ask({ method: "GET", path: kind.modelsPath });
    if (list !== undefined && !isNothingThere(list)) return resultOf(kind, credential, list);
    const empty = emptyRequest(upstream, kind);
    if (empty !== undefined) {
      const refusal = await ask(empty);
      return isNothingThere(refusal)
        ? wrongAddress(upstream, empty, refusal)
        : resultOf(kind, credential, refusal);
    }
    if (list === undefined) await ask({ method: "GET", path: "/" });
    return WELL;
  } catch (error) {
    return { found: "away", problem: error instanceof Error ? error.message : String(error) };
  }
}

/** To the first endpoint that requests would go to. */
function emptyRequest(upstream: Upstream, kind: UpstreamKind): Trial | undefined {
  const [[ours, model] = []] = upstream.models;
  if (ours === undefined || model === undefined) return undefined;
  const protocol = protocolsAt(upstream, ours).find((name) => kind.paths[name] !== undefined);
  if (protocol === undefined) return undefined;
  const { place } = upstream.options ?? {};
  const order = { protocol, model, streamed: false, arrayStream: false, query: {}, place };
  return { method: "POST", path: endpointPath("", kind, order) };
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

function resultOf(kind: UpstreamKind, credential: Credential, response: Response): TrialResult {
  const { status, text } = response;
  const words = text.toLowerCase();
  const trouble = status < 400 ? undefined : kind.troubles?.find(({ contains }) => words.includes(contains));
  if (trouble !== undefined)
    return {
      found: isRefusal(kind, response) ? "refused" : "wrong",
      problem: `responds (status ${status}), but ${trouble.means}`,
    };
  if (isRefusal(kind, response)) {
    return { found: "refused", problem: `responds, but ${refusalOf(credential, status)}` };
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

/** What a vendor does that isRefusal() tells of, and what to check. */
export function refusalOf({ secret }: Credential, status: number): string {
  if (secret === "" && status !== 403) return `requires a key (status ${status}); set api_key`;
  if (secret === "")
    return `forbids requests without a key (status ${status}); set api_key, and check whether the vendor serves your network`;
  if (status === 402) return `wants to be paid first (status ${status}); check the account's credit`;
  if (status === 403)
    return `forbids the request (status ${status}); check what the key may do, and whether the vendor serves your network`;
  return `refuses the key (status ${status}); check api_key and the account's credit`;
}

/** True if it does not take our key, or nothing more on our account. */
export function isRefusal({ accountFaults }: UpstreamKind, { status, text }: Response): boolean {
  if (status === 401 || status === 402 || status === 403) return true;
  const words = text.toLowerCase();
  return accountFaults.some((fault) => fault.status === status && words.includes(fault.contains));
}
