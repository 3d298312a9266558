import type { Upstream } from "../../catalog/catalog.ts";

const HOST_REGION = /^[a-z-]+\.([a-z]{2}(?:-[a-z]+)+-\d)\./;

/** Where nothing says otherwise; signatures of a server that is none of AWS's must name one. */
const FIRST_REGION = "us-east-1";

/** As the upstream states it, else as its host says. */
export function regionOf({ baseUrl, options }: Pick<Upstream, "baseUrl" | "options">): string {
  return options?.place?.location ?? HOST_REGION.exec(new URL(baseUrl).hostname)?.[1] ?? FIRST_REGION;
}
