import type { CatalogCache } from "../../catalog/catalog-cache.ts";
import { GatewayError } from "../../errors.ts";

/** An address as the queue of deliveries names receivers. */
export function mailUrl(address: string): string {
  return `mailto:${address}`;
}

export function addressOf(url: string): string {
  return url.slice("mailto:".length);
}

/** Throws where no e-mail could be sent. */
export function expectMailServer(catalog: Pick<CatalogCache, "current">, param: string): void {
  if (catalog.current().settings.smtp !== null) return;
  throw new GatewayError(
    "invalid_request",
    "E-mail needs a mail server: an operator sets it in the settings (smtp).",
    { param },
  );
}
