import type { SessionResponse } from "../../../src/console/session/contract.ts";
import { ApiError, errorOf, unreachable } from "./api-error.ts";
import type { BodyOf, Offered, QueryOf, ResponseOf } from "./operations.ts";
import { queryClient } from "./query-client.ts";

/** Values of a query string; what is empty or undefined is left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;
type WriteMethod = "POST" | "PUT" | "PATCH" | "DELETE";

/** A body is given where the operation takes one. */
type BodyArguments<Body> = undefined extends Body
  ? [body?: Body, revision?: string]
  : [body: Body, revision?: string];

/** Asks the console's API (`path` below /api). Throws ApiError. */
export function read<const Path extends string>(
  path: Path & Offered<Path, "get">,
  query?: QueryOf<Path>,
  signal?: AbortSignal,
): Promise<ResponseOf<Path, "get">> {
  return readAny(path, query, signal);
}

/** Does what `read` does, with a path that only the calling part knows. */
export function readAny<Answer>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Answer> {
  return ask<Answer>(urlOf(path, query), signal === undefined ? {} : { signal });
}

/**
 * Changes something, with the session's word that our own page asks. `revision` is that of the state which the change was
 * made from: where it is another by now, nothing is written. Throws ApiError.
 */
export async function write<Method extends WriteMethod, const Path extends string>(
  method: Method,
  path: Path & Offered<Path, Lowercase<Method>>,
  ...[body, revision]: BodyArguments<BodyOf<Path, Lowercase<Method>>>
): Promise<ResponseOf<Path, Lowercase<Method>>> {
  const condition = revision === undefined ? {} : { "if-match": `"${revision}"` };
  const type = body === undefined ? {} : { "content-type": "application/json" };
  return changing(() =>
    ask<ResponseOf<Path, Lowercase<Method>>>(urlOf(path), {
      method,
      headers: { ...type, ...csrfHeader(), ...condition },
      body: textOf(body),
    }),
  );
}

/** Sends a file as it is. Throws ApiError. */
export function upload<const Path extends string>(
  path: Path & Offered<Path, "post">,
  query: QueryOf<Path, "post">,
  file: Blob,
): Promise<ResponseOf<Path, "post">> {
  return changing(() =>
    ask<ResponseOf<Path, "post">>(urlOf(path, query), {
      method: "POST",
      headers: { "content-type": "application/octet-stream", ...csrfHeader() },
      body: file,
    }),
  );
}

async function changing<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "csrf_failed") throw error;
    // Someone signed in anew in another tab: the word is another one now.
    const before = queryClient.getQueryData<SessionResponse>(["session"]);
    const now = await read("/session");
    queryClient.setQueryData(["session"], now);
    if (now.user.id === before?.user.id) return send();
    // Somebody else: what this page's person began is not theirs to finish.
    void queryClient.invalidateQueries();
    const sentence = "Someone else signed in from another tab. Nothing was changed.";
    throw new ApiError(sentence, { ...error, code: "somebody_else" });
  }
}

/** The address of an operation, for links to files and event streams. */
export function apiUrl<const Path extends string>(
  path: Path & Offered<Path, "get">,
  query?: QueryOf<Path>,
): string {
  return urlOf(path, query);
}

function urlOf(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `/api${path}${search === "" ? "" : `?${search}`}`;
}

function csrfHeader(): Record<string, string> {
  const word = queryClient.getQueryData<SessionResponse>(["session"])?.csrf_token;
  return word ? { "x-faregate-csrf": word } : {};
}

function textOf(body: unknown): string | null {
  return body === undefined ? null : JSON.stringify(body);
}

/** Asks for the document that all pages are made of, as loading the page anew does. Throws ApiError where it does not come. */
export async function findPages(): Promise<void> {
  await answerOf("/sign-in", { method: "HEAD", headers: { accept: "text/html" } });
}

async function ask<Answer>(url: string, init: RequestInit): Promise<Answer> {
  return (await (await answerOf(url, init)).json()) as Answer;
}

async function answerOf(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, { credentials: "same-origin", ...init }).catch((cause: unknown) => {
    throw init.signal?.aborted ? cause : unreachable();
  });
  if (!response.ok) throw await errorOf(response);
  return response;
}
