import type { SessionResponse } from "../../../src/console/session/contract.ts";
import { ApiError, errorOf, unreachable } from "./api-error.ts";
import { queryClient } from "./query-client.ts";

/** Values of a query string; what is empty or undefined is left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;
type WriteMethod = "POST" | "PUT" | "PATCH" | "DELETE";

/** Asks the console's API (`path` below /api). Throws ApiError. */
export function read<Answer>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Answer> {
  return ask<Answer>(apiUrl(path, query), signal === undefined ? {} : { signal });
}

/**
 * Changes something, with the session's word that our own page asks. `revision` is that of the state which the change was
 * made from: where it is another by now, nothing is written. Throws ApiError.
 */
export async function write<Answer>(
  method: WriteMethod,
  path: string,
  body?: unknown,
  revision?: string,
): Promise<Answer> {
  const condition = revision === undefined ? {} : { "if-match": `"${revision}"` };
  const send = () =>
    ask<Answer>(apiUrl(path), {
      method,
      headers: { ...writeHeaders(body), ...condition },
      body: textOf(body),
    });
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "csrf_failed") throw error;
    // Someone signed in anew in another tab: the word is another one now.
    const before = queryClient.getQueryData<SessionResponse>(["session"]);
    const now = await read<SessionResponse>("/session");
    queryClient.setQueryData(["session"], now);
    if (now.user.id === before?.user.id) return send();
    // Somebody else: what this page's person began is not theirs to finish.
    void queryClient.invalidateQueries();
    const sentence = "Someone else signed in from another tab. Nothing was changed.";
    throw new ApiError(sentence, { ...error, code: "somebody_else" });
  }
}

/** The address of an operation, for links to files and event streams. */
export function apiUrl(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `/api${path}${search === "" ? "" : `?${search}`}`;
}

function writeHeaders(body: unknown): Record<string, string> {
  const word = queryClient.getQueryData<SessionResponse>(["session"])?.csrf_token;
  return {
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(word ? { "x-faregate-csrf": word } : {}),
  };
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
