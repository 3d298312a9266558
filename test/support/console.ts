import { request } from "undici";
import type { SessionResponse } from "../../src/console/session/contract.ts";

/** The console's response. */
export interface ConsoleResponse {
  readonly status: number;
  /** The parsed JSON; the text where it is another type. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface ConsoleAsk {
  readonly method: string;
  /** Below /api. */
  readonly path: string;
  readonly body?: unknown;
  /** Headers beside or instead of the caller's own; undefined leaves one of them out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** Somebody who calls the console: with a session, with a token, or as nobody. */
export interface ConsoleCaller {
  get(path: string): Promise<ConsoleResponse>;
  post(path: string, body?: unknown): Promise<ConsoleResponse>;
  put(path: string, body?: unknown): Promise<ConsoleResponse>;
  patch(path: string, body?: unknown): Promise<ConsoleResponse>;
  del(path: string): Promise<ConsoleResponse>;
  ask(ask: ConsoleAsk): Promise<ConsoleResponse>;
}

export interface SignedIn extends ConsoleCaller {
  /** The response of GET /session at the sign-in. */
  readonly session: SessionResponse;
  /** The cookie in the browser's form: `faregate_session=...`. */
  readonly cookie: string;
}

export const BOOTSTRAP_PASSWORD = "a password for tests only";
export const FIRST_USER = { email: "admin@localhost", password: BOOTSTRAP_PASSWORD };

type Reachable = Readonly<{ url: string }>;

/**
 * Signs in at a started gateway and gives a caller with cookie and csrf token. Start the gateway with
 * `env: { FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD }` to sign in as FIRST_USER.
 */
export async function signIn(
  gateway: Reachable,
  who: { readonly email: string; readonly password: string; readonly totp?: string } = FIRST_USER,
): Promise<SignedIn> {
  const response = await callerOf(gateway, {}).post("/session", who);
  if (response.status !== 200)
    throw new Error(`${who.email} cannot sign in: ${response.status} ${JSON.stringify(response.body)}`);
  return signedInBy(gateway, response);
}

/** The caller that a response with a new session's cookie makes: of signing in, of accepting an invitation. */
export function signedInBy(gateway: Reachable, response: ConsoleResponse): SignedIn {
  const session = response.body as SessionResponse;
  const cookie = cookieOf(response);
  return {
    ...callerOf(gateway, { cookie, "x-faregate-csrf": session.csrf_token ?? "" }),
    session,
    cookie,
  };
}

/** A caller with these headers; none is nobody. */
export function callerOf(
  { url }: Reachable,
  own: Readonly<Record<string, string | undefined>> = {},
): ConsoleCaller {
  const ask = async ({ method, path, body, headers = {} }: ConsoleAsk): Promise<ConsoleResponse> => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const type = text === undefined ? {} : { "content-type": "application/json" };
    const response = await request(`${url}/api${path}`, {
      method: method as "GET",
      headers: present({ ...type, ...own, ...headers }),
      ...(text === undefined ? {} : { body: text }),
    });
    const answered = await response.body.text();
    const isJson = String(response.headers["content-type"]).startsWith("application/json");
    return {
      status: response.statusCode,
      body: isJson ? JSON.parse(answered) : answered,
      headers: response.headers,
    };
  };
  return {
    ask,
    get: (path) => ask({ method: "GET", path }),
    post: (path, body = {}) => ask({ method: "POST", path, body }),
    put: (path, body = {}) => ask({ method: "PUT", path, body }),
    patch: (path, body = {}) => ask({ method: "PATCH", path, body }),
    del: (path) => ask({ method: "DELETE", path }),
  };
}

/** A caller with a console token. */
export function tokenCaller(gateway: Reachable, token: string): ConsoleCaller {
  return callerOf(gateway, { authorization: `Bearer ${token}` });
}

function cookieOf({ headers }: ConsoleResponse): string {
  const [cookie = ""] = [headers["set-cookie"] ?? ""].flat();
  return cookie.split(";", 1)[0] ?? "";
}

function present(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
