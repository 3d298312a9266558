import { readFile, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { definedFields } from "../../base/defined-fields.ts";
import { PACKAGE_FILES } from "../../base/package-files.ts";
import { GatewayError } from "../../errors.ts";
import type { RequestContext } from "../core/endpoint.ts";
import { readByteRange } from "../core/file-response.ts";
import { FILE_TYPES, PAGE_HEADERS } from "../core/page-headers.ts";
import { type Router, refuseMissing } from "../core/router.ts";
import type { HttpDeps } from "../deps.ts";
import { openApi } from "../openapi/document.ts";

/** The description of the API for machines and, as a page of Swagger UI, for people. */
export function docsRoutes(router: Router, deps: HttpDeps): void {
  // Each form is made once, at its first request: it costs up to a quarter of a second of computing, needs no key to be
  // asked for, and most processes never need it.
  const document = once(() => openApi(deps.version, deps.console.operations));
  const inJson = once(() => Buffer.from(JSON.stringify(document())));
  const inYaml = once(async () => Buffer.from((await import("yaml")).stringify(document())));
  const page = (path: string, serve: (context: RequestContext) => Promise<void> | void): void =>
    router.route(["GET", "HEAD"], path, (context) => {
      const headers = { ...PAGE_HEADERS, "x-request-id": context.request.id };
      return serve({ ...context, headers });
    });

  router.endpoint(["GET", "HEAD"], "/openapi.json", (context) => send(context, JSON_TYPE, inJson()));
  page("/docs", (context) => send(context, FILE_TYPES[".html"], PAGE));
  page("/docs/json", (context) => send(context, JSON_TYPE, inJson()));
  page("/docs/yaml", async (context) => send(context, "application/x-yaml", await inYaml()));
  page("/docs/static/index.html", ({ raw, headers }) => {
    raw.writeHead(302, { ...headers, location: "/docs/", "content-length": "0" }).end();
  });
  page("/docs/static/swagger-initializer.js", (context) =>
    send(context, "application/javascript; charset=utf-8", INITIALIZER),
  );
  // The assets go through the router, so that a refusal has the headers of any other.
  router.route(["GET", "HEAD"], "/docs/static/*", sendAsset);
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const JSON_TYPE = "application/json; charset=utf-8";

function send({ raw, headers }: RequestContext, type: string | undefined, body: Buffer): void {
  raw.writeHead(200, { ...headers, "content-type": type, "content-length": String(body.length) }).end(body);
}

/** One of the files that the build took from Swagger UI. */
async function sendAsset({ request, raw }: RequestContext): Promise<void> {
  const { "*": file = "" } = request.params;
  if (/\/\.\.(\/|$)|%00/.test(request.url))
    throw new GatewayError("invalid_request", "Invalid request: this isn't a file name.");
  const type = FILE_TYPES[extname(file)];
  if (!/^[\w-]+\.[\w-]+$/.test(file) || type === undefined) return refuseMissing({ request });
  const path = join(PACKAGE_FILES.documentation, file);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return refuseMissing({ request });
  const etag = `W/"${found.size.toString(16)}-${Math.trunc(found.mtimeMs).toString(16)}"`;
  const common = {
    ...PAGE_HEADERS,
    "x-request-id": request.id,
    "cache-control": "public, max-age=0",
    "last-modified": found.mtime.toUTCString(),
    etag,
    "accept-ranges": "bytes",
  };
  const { "if-none-match": known, range } = request.raw.headers;
  if (known === etag || known === "*") {
    raw.writeHead(304, common).end();
    return;
  }
  const body = await readFile(path);
  const wanted = readByteRange(range, body.length);
  if (wanted === "none") {
    raw.writeHead(416, { ...common, "content-range": `bytes */${body.length}`, "content-length": "0" }).end();
    return;
  }
  const { first, last } = wanted === "all" ? { first: 0, last: body.length - 1 } : wanted;
  const headers = {
    ...common,
    "content-type": type,
    "content-length": String(last - first + 1),
    "content-range": wanted === "all" ? undefined : `bytes ${first}-${last}/${body.length}`,
  };
  raw.writeHead(wanted === "all" ? 200 : 206, definedFields(headers));
  raw.end(body.subarray(first, last + 1));
}

const PAGE = Buffer.from(`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Faregate API</title>
    <link rel="stylesheet" href="/docs/static/swagger-ui.css">
    <link rel="stylesheet" href="/docs/static/index.css">
    <link rel="icon" type="image/png" href="/docs/static/favicon-32x32.png" sizes="32x32">
    <link rel="icon" type="image/png" href="/docs/static/favicon-16x16.png" sizes="16x16">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/docs/static/swagger-ui-bundle.js"></script>
    <script src="/docs/static/swagger-initializer.js"></script>
  </body>
</html>
`);

const INITIALIZER = Buffer.from(`window.onload = () => {
  SwaggerUIBundle({
    url: "/openapi.json",
    dom_id: "#swagger-ui",
    deepLinking: true,
    validatorUrl: null,
    presets: [SwaggerUIBundle.presets.apis],
    layout: "BaseLayout",
  });
};
`);
