import { type Credential, protocolsAt, type Upstream } from "../catalog/catalog.ts";
import { AccessFailure } from "./access/access.ts";
import type { AccessDeps } from "./access/known-access.ts";
import { kindOf, type UpstreamKind } from "./kinds.ts";
import { type OneRequest, requestOnce } from "./one-request.ts";
import { optionRemedy } from "./option-remedies.ts";
import { endpointPath } from "./transport/endpoint-url.ts";

/** Enough of a response to find a vendor's words about a key. */
const READ_BYTES = 16 * 1024;

/** A request that no vendor bills. */
type Trial = Pick<OneRequest, "method" | "path" | "body">;

interface Response {
  readonly status: number;
  /** Its beginning. */
  readonly text: string;
}

/**
 * The result of a trial.
 * - `well`: it responds.
 * - `away`: nothing responds there, or only with a fault of its own.
 * - `refused`: it refuses the key.
 * - `wrong`: it does not know the call.
 */
export interface TrialResult {
  readonly found: "well" | "away" | "refused" | "wrong";
  /** A sentence that says what is wrong and what to do; undefined = all is well. */
  readonly problem: string | undefined;
}

/** Does what tryUpstream does, as text: undefined when all is well, else the sentence. */
export async function probeUpstream(
  upstream: Upstream,
  credential: Credential,
  deps: AccessDeps,
): Promise<string | undefined> {
  const { problem } = await tryUpstream(upstream, credential, deps);
  return problem ?? (await modelProblem(upstream, credential, deps));
}

/** A dozen are usual; each is one request. */
const MOST_MODELS = 20;

/**
 * The problem of one of its models, if its vendor serves each by itself; undefined = none that the vendor's words name.
 */
async function modelProblem(
  upstream: Upstream,
  credential: Credential,
  deps: AccessDeps,
): Promise<string | undefined> {
  const kind = kindOf(upstream.kind);
  if (kind?.triesModels !== true) return undefined;
  for (const [ours, theirs] of [...upstream.models].slice(0, MOST_MODELS)) {
    const trial = emptyRequest(upstream, kind, ours, theirs);
    if (trial === undefined) continue;
    const parts = { upstream, credential, kind, ...deps };
    // The vendor answered a moment ago, so that silence is no fault of a model's.
    const response = await askOnce(trial, parts).catch(() => undefined);
    const means = response && troubleIn(kind, response);
    if (means !== undefined) return `serves no ${theirs} (status ${response?.status}): ${means}`;
  }
  return undefined;
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
  const ask = (trial: Trial): Promise<Response> => askOnce(trial, { upstream, credential, kind, ...deps });
  try {
    const list = kind.modelsPath === null ? undefined : await ask({ method: "GET", path: kind.modelsPath });
    if (list !== undefined && !isNothingThere(list)) return resultOf(kind, credential, list);
    const [[ours, theirs] = []] = upstream.models;
    const empty = emptyRequest(upstream, kind, ours, theirs);
    if (empty !== undefined) {
      const refusal = await ask(empty);
      return isNothingThere(refusal) && troubleIn(kind, refusal) === undefined
        ? wrongAddress(upstream, empty.path, refusal)
        : resultOf(kind, credential, refusal);
    }
    if (list === undefined) await ask({ method: "GET", path: "/" });
    else if (upstream.models.size === 0) return wrongAddress(upstream, kind.modelsPath ?? "", list);
    return WELL;
  } catch (error) {
    return { found: "away", problem: failureText(error) };
  }
}

/** The problem if no response came, with the operator's remedy. */
export function failureText(error: unknown): string {
  if (error instanceof AccessFailure && error.advice !== undefined)
    return `${error.message}. ${error.advice}`;
  return error instanceof Error ? error.message : String(error);
}

async function askOnce(trial: Trial, parts: Parameters<typeof requestOnce>[1]): Promise<Response> {
  const { status, body } = await requestOnce({ ...trial, maxBytes: READ_BYTES }, parts);
  return { status, text: body.toString("latin1") };
}

/** To the first endpoint that requests for this model would go to. */
function emptyRequest(
  upstream: Upstream,
  kind: UpstreamKind,
  ours: string | undefined,
  model: string | undefined,
): Trial | undefined {
  if (ours === undefined || model === undefined) return undefined;
  const protocol = protocolsAt(upstream, ours).find((name) => kind.paths[name] !== undefined);
  if (protocol === undefined) return undefined;
  const { place } = upstream.options ?? {};
  const order = { protocol, model, streamed: false, arrayStream: false, query: {}, place };
  const body = kind.triesModels === true ? JSON.stringify({ model }) : undefined;
  return { method: "POST", path: endpointPath("", kind, order), body };
}

function isNothingThere({ status }: Response): boolean {
  return status === 404 || status === 405;
}

function wrongAddress({ baseUrl }: Upstream, path: string, { status }: Response): TrialResult {
  const problem =
    `has nothing at base_url + ${path} (status ${status}); check base_url, now ${baseUrl}, ` +
    "which is followed by exactly that";
  return { found: "wrong", problem };
}

const WELL: TrialResult = { found: "well", problem: undefined };

function resultOf(kind: UpstreamKind, credential: Credential, response: Response): TrialResult {
  const { status } = response;
  const means = troubleIn(kind, response);
  if (means !== undefined)
    return {
      found: isRefusal(kind, response) ? "refused" : "wrong",
      problem: `responds (status ${status}), but ${means}`,
    };
  if (isRefusal(kind, response)) {
    const option = optionRemedy({ code: "", type: "", message: response.text });
    const cure = option === undefined ? "" : `; or set ${option}`;
    return { found: "refused", problem: `responds, but ${refusalOf(credential, status)}${cure}` };
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

/** The meaning of the vendor's words for the operator; undefined = unknown. */
export function troubleIn({ troubles }: UpstreamKind, { status, text }: Response): string | undefined {
  if (status < 400) return undefined;
  const words = text.toLowerCase();
  return troubles?.find(({ contains }) => words.includes(contains))?.means;
}

/** A refusal that isRefusal() detects, and the thing to check. */
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
