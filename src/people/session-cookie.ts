/** Over https the name itself makes the browser refuse the cookie to other paths, hosts and plain http. */
const SECURE_NAME = "__Host-faregate_session";
const PLAIN_NAME = "faregate_session";

/**
 * The cookie's name where callers use this address. The other one is not read: over https, hosts beside ours and whoever
 * answers plain http in our name can set the plain one, and would sign people in as somebody else.
 */
export function sessionCookieName(publicUrl: string): string {
  return isSecure(publicUrl) ? SECURE_NAME : PLAIN_NAME;
}

/** A whole `Set-Cookie` value: not readable by scripts, not sent along by forms of other sites. An empty secret takes it away. */
export function sessionCookie(
  secret: string,
  { publicUrl, seconds }: { publicUrl: string; seconds: number },
): string {
  const flags = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${secret === "" ? 0 : seconds}`;
  return `${sessionCookieName(publicUrl)}=${secret}; ${flags}${isSecure(publicUrl) ? "; Secure" : ""}`;
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith("https:");
}
