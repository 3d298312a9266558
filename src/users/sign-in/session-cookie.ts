/** With this prefix, browsers refuse the cookie for other paths and hosts, and over plain http. */
const SECURE_PREFIX = "__Host-";

const SESSION = "faregate_session";
const DEVICE = "faregate_device";

/**
 * Returns the cookie's name for this public URL. Over https the plain name is not read: neighbouring hosts, and anyone
 * who answers plain http in our name, could set such a cookie and sign users in as somebody else.
 */
export function sessionCookieName(publicUrl: string): string {
  return nameAt(publicUrl, SESSION);
}

/** The same for the cookie that marks a browser in which a user has signed in before. */
export function deviceCookieName(publicUrl: string): string {
  return nameAt(publicUrl, DEVICE);
}

interface CookieTerms {
  readonly publicUrl: string;
  readonly seconds: number;
}

/**
 * Returns a complete `Set-Cookie` value: hidden from scripts, and not sent with forms of other sites. An empty secret
 * deletes the cookie.
 */
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
