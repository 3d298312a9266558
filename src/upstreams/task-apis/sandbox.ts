import { GATEWAY_TABLE } from "./gateway.ts";
import { taskApiOf } from "./task-table.ts";

/** The sandbox speaks the specification's own API. */
export const sandbox = taskApiOf({ ...GATEWAY_TABLE, name: "sandbox" });
