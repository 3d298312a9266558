import type { SessionResponse } from "../../../../src/console/session/contract.ts";
import { ApiError, errorOf, unreachable } from "../../api/api-error.ts";
import { write } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { valueAt } from "./json.ts";
import { problemOf } from "./problem.ts";

interface MadeKey {
  readonly secret: string;
  readonly expires_at: string;
}

/** A key this close to its end may be over before its request is read. */
const SPARE_MS = 60_000;

const keys = new Map<string, Promise<MadeKey>>();

/** A key is its maker's, and the next person at this page is another: what they spend is theirs. */
function nameOf(account: string): string {
  const person = queryClient.getQueryData<SessionResponse>(["session"])?.user.id ?? "";
  return `${account} ${person}`;
}

/** A key of the account that lasts a quarter of an hour, made when it is first needed and again before it ends. */
async function keyOf(name: string, account: string): Promise<string> {
  const known = await keys.get(name)?.catch(() => undefined);
  if (known !== undefined && Date.parse(known.expires_at) - Date.now() > SPARE_MS) return known.secret;
  const making = write("POST", `/accounts/${account}/playground-key`, {});
  keys.set(name, making);
  return (await making).secret;
}

/** Calls the API as any program does, with the account's own key. Throws ApiError unless the response is good. */
export async function callPublic(
  account: string,
  path: string,
  { body, signal }: { readonly body?: unknown; readonly signal?: AbortSignal } = {},
): Promise<Response> {
  const name = nameOf(account);
  const key = await keyOf(name, account);
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(path, {
    headers,
    credentials: "omit",
    ...sent,
    ...(signal === undefined ? {} : { signal }),
  }).catch((cause: unknown) => {
    throw signal?.aborted ? cause : unreachable();
  });
  if (response.ok) return response;
  // The key was revoked under way: the next call makes another.
  if (response.status === 401) keys.delete(name);
  throw await problemIn(response);
}

/** The endpoints' errors come in several shapes: `{ error: { message } }` or `{ code, message }`. */
async function problemIn(response: Response): Promise<ApiError> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  const error = await errorOf(response);
  const problem = problemOf(valueAt(body, "error") ?? body);
  return problem === undefined ? error : new ApiError(problem.message, { ...error, code: problem.code });
}

/** What the API answers as JSON. */
export async function readPublic<Answer>(
  account: string,
  path: string,
  options: { readonly body?: unknown; readonly signal?: AbortSignal } = {},
): Promise<Answer> {
  return (await (await callPublic(account, path, options)).json()) as Answer;
}
