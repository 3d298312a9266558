import { capabilityOf } from "../../families/capability.ts";
import { callerOf } from "../core/credentials.ts";
import { sendJson } from "../core/endpoint.ts";
import type { Router } from "../core/router.ts";
import type { HttpDeps } from "../deps.ts";

/** The fields of the image and video models that a key may call, from the tables that requests are read by. */
export function capabilityRoutes(router: Router, deps: HttpDeps): void {
  router.endpoint(["GET", "HEAD"], "/v1/capabilities", async (context) => {
    const caller = await callerOf(context, deps);
    const data = deps.catalog
      .current()
      .listed(caller)
      .flatMap((model) => capabilityOf(model) ?? []);
    sendJson(context, 200, { object: "list", data });
  });
}
