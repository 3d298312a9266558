/**
 * Asks an address that the operator wrote down, such as an identity provider's: it may stand in a private network,
 * unlike what callers give. Redirects are answers, not followed.
 */
export function trustedFetch(url: string, init: RequestInit): Promise<Response> {
  return fetch(url, { ...init, redirect: "manual" });
}
