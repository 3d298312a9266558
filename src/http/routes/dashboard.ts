import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { definedFields } from "../../base/defined-fields.ts";
import { PACKAGE_FILES } from "../../base/package-files.ts";
import { GatewayError } from "../../errors.ts";
import type { RequestContext } from "../core/endpoint.ts";
import { FILE_TYPES, PAGE_HEADERS } from "../core/page-headers.ts";
import type { Router } from "../core/router.ts";

/** Addresses of pages: the browser's part of the dashboard draws whichever it is. */
const PAGES = [
  ...["/sign-in", "/sign-in/*", "/register", "/forgot-password", "/reset-password", "/start"],
  ...["/invitation", "/invitation/*"],
  ...["/accounts/*", "/operator", "/operator/*", "/me", "/me/*"],
];

/** The dashboard: its pages to browsers, its files to its pages. */
export function dashboardRoutes(router: Router): void {
  for (const path of PAGES) {
    router.endpoint(["GET", "HEAD"], path, async (context) => {
      if (!wantsPage(context))
        throw new GatewayError(
          "not_found",
          "This is a dashboard page for browsers. The API has the same path under /api. See /docs.",
        );
      await sendPage(context);
    });
  }
  router.endpoint(["GET", "HEAD"], "/assets/:file", async (context) => {
    const { file = "" } = context.request.params;
    // Names that the build gives; nothing that could lead out of the folder.
    if (!/^[\w-]+(\.[\w-]+)*$/.test(file) || !(extname(file) in FILE_TYPES))
      throw new GatewayError("not_found", "File not found.");
    await sendFile(context, join("assets", file), "public, max-age=31536000, immutable");
  });
}

/** True if a browser asks, to show what comes. */
export function wantsPage({ request }: RequestContext): boolean {
  return /\btext\/html\b/.test(request.raw.headers.accept ?? "");
}

/** The one document of which every page is made. */
export function sendPage(context: RequestContext): Promise<void> {
  return sendFile(context, "index.html", "no-cache");
}

async function sendFile(context: RequestContext, file: string, cacheControl: string): Promise<void> {
  const { body, encoding } = await readBuilt(file, context.request.raw.headers["accept-encoding"] ?? "");
  const headers = {
    ...context.headers,
    "content-type": FILE_TYPES[extname(file)],
    "content-length": body.length,
    "content-encoding": encoding,
    vary: "accept, accept-encoding",
    "cache-control": cacheControl,
    ...PAGE_HEADERS,
  };
  context.raw.writeHead(200, definedFields(headers));
  context.raw.end(context.request.method === "HEAD" ? undefined : body);
}

/** A file as the build wrote it, in the smallest form the browser reads. */
async function readBuilt(
  file: string,
  accepted: string,
): Promise<{ body: Buffer; encoding: string | undefined }> {
  for (const [encoding, ending] of [
    ["br", ".br"],
    ["gzip", ".gz"],
    [undefined, ""],
  ] as const) {
    if (encoding !== undefined && !new RegExp(`\\b${encoding}\\b`).test(accepted)) continue;
    try {
      return { body: await readFile(join(PACKAGE_FILES.dashboard, file + ending)), encoding };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  const message =
    file === "index.html"
      ? "The dashboard is not built: run `npm run build` (it needs `npm ci --include=dev`). The API works without it."
      : "File not found. Reload the page; there may be a newer version.";
  throw new GatewayError("not_found", message);
}
