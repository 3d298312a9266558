import { pause } from "../../base/async/timers.ts";
import type { ConsoleDeps } from "../deps.ts";
import { events, json, type Operation } from "../operation.ts";
import { traffic } from "./contract.ts";
import { LIVE_SLOT_SECONDS } from "./traffic.ts";

const tag = "traffic";

/** Rows of the newest slots may still have been on their way at the event before. */
const CHANGING_SLOTS = 7;

/** The gateway's load, for operators. */
export function trafficOperations({ traffic: watch }: ConsoleDeps): readonly Operation[] {
  return [
    json({
      method: "GET",
      path: "/operator/traffic",
      policy: "operator",
      tag,
      summary: "The last hour by the minute, by upstream and by model",
      response: traffic,
      run: () => watch.hour(),
    }),
    events({
      path: "/operator/traffic/events",
      policy: "operator",
      tag,
      summary: "The last five minutes, then changes every two seconds",
      event: traffic,
      async *run({ gone }) {
        yield await watch.live();
        while (!gone.aborted) {
          await pause(LIVE_SLOT_SECONDS * 1_000, gone);
          if (!gone.aborted) yield await watch.live(CHANGING_SLOTS);
        }
      },
    }),
  ];
}
