/** Over https the name itself makes the browser refuse the cookie to other paths, hosts and plain http. */
const SECURE_NAME = "__Host-faregate_session";
const PLAIN_NAME = "faregate_session";

/** The cookie's names, the safer one first. */
export const sessionCookieNames: readonly string[] = [SECURE_NAME, PLAIN_NAME];

/** A whole `Set-Cookie` value: not readable by scripts, not sent along by forms of other sites. An empty secret takes it away. */
export function sessionCookie(
  secret: string,
  { secure, seconds }: { secure: boolean; seconds: number },
): string {
  const name = secure ? SECURE_NAME : PLAIN_NAME;
  const flags = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${secret === "" ? 0 : seconds}`;
  return `${name}=${secret}; ${flags}${secure ? "; Secure" : ""}`;
}
