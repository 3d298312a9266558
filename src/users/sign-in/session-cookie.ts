/** Over https the name itself makes the browser refuse the cookie to other paths, hosts and plain http. */
const SECURE_PREFIX = "__Host-";

const SESSION = "faregate_session";
const DEVICE = "faregate_device";

/**
 * The cookie's name where callers use this address. The other one is not read: over https, hosts beside ours and whoever
 * answers plain http in our name can set the plain one, and would sign people in as somebody else.
 */
export function sessionCookieName(publicUrl: string): string {
  return nameAt(publicUrl, SESSION);
}

/** The same of the cookie by which a browser is known that has signed in before. */
export function deviceCookieName(publicUrl: string): string {
  return nameAt(publicUrl, DEVICE);
}

interface CookieTerms {
  readonly publicUrl: string;
  readonly seconds: number;
}

/** A whole `Set-Cookie` value: not readable by scripts, not sent along by forms of other sites. An empty secret takes it away. */
export function sessionCookie(secret: string, terms: CookieTerms): string {
  return cookieOf(SESSION, secret, terms);
}

export function deviceCookie(secret: string, terms: CookieTerms): string {
  return cookieOf(DEVICE, secret, terms);
}

function cookieOf(name: string, secret: string, { publicUrl, seconds }: CookieTerms): string {
  const flags = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${secret === "" ? 0 : seconds}`;
  return `${nameAt(publicUrl, name)}=${secret}; ${flags}${isSecure(publicUrl) ? "; Secure" : ""}`;
}

function nameAt(publicUrl: string, name: string): string {
  return isSecure(publicUrl) ? SECURE_PREFIX + name : name;
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith("https:");
}
