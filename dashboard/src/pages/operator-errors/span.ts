import { momentOfDay } from "../../api/days.ts";
import type { Search } from "../../api/search.ts";

/** The time that the URL asks for, as the console's API takes it: days are whole, the last one included. */
export function spanOf(search: Search): {
  readonly from: string | undefined;
  readonly to: string | undefined;
} {
  return { from: momentOfDay(search["from"]), to: momentOfDay(search["to"], 1) };
}
