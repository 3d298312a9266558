import type { z } from "zod";
import { GatewayError } from "../../errors.ts";
import type { ConsoleDeps } from "../deps.ts";
import { type Call, json, type Operation, text } from "../operation.ts";
import { spendingQuery, spendingResponse } from "./contract.ts";
import { type SpendingQuery, spendingOf, sumsOf } from "./spending.ts";
import { SPENDING_COLUMNS, spendingLines, spendingTitles } from "./spending-csv.ts";
import { readGroups } from "./spending-store.ts";

/** An account's spending, read from sums over the usage log, so that each view is cheap. */
export function spendingOperations(deps: ConsoleDeps): readonly Operation[] {
  return [show(deps), exportCsv(deps)];
}

const tag = "spending";

function show({ database, clock }: ConsoleDeps): Operation {
  return json({
    method: "GET",
    path: "/accounts/{account}/spending",
    policy: "viewer",
    tag,
    summary: "Spending, requests, errors, tokens and latency by day or hour, and the month's forecast",
    query: spendingQuery,
    response: spendingResponse,
    run: (call) => spendingOf(database, wantedOf(call, clock.nowMs())),
  });
}

function exportCsv({ database, clock }: ConsoleDeps): Operation {
  return text({
    path: "/accounts/{account}/spending.csv",
    policy: "viewer",
    tag,
    summary: "The same as CSV: one line per day or hour and model, key, user, endpoint or tag",
    query: spendingQuery,
    contentType: "text/csv; charset=utf-8",
    fileName: (call) => `spending-${call.account().id}-by-${call.query.by}.csv`,
    async *run(call) {
      const { span, by, step } = wantedOf(call, clock.nowMs());
      yield spendingTitles(SPENDING_COLUMNS);
      const { id, name } = call.account();
      const account = { id: String(id), name };
      const stepMs = step === "day" ? DAY_MS : HOUR_MS;
      for (let at = span.from.getTime(); at < span.until.getTime() && !call.gone.aborted; at += stepMs) {
        const one = { ...span, from: new Date(at), until: new Date(at + stepMs) };
        const groups = await readGroups(database, one, by, null);
        yield spendingLines(
          SPENDING_COLUMNS,
          groups.map((group) => ({
            ...sumsOf(group),
            ...boundsOf(at, step),
            by,
            id: group.id,
            name: group.name,
            account,
          })),
        );
      }
    },
  });
}

/** A day as its date, an hour as its first and last second. */
function boundsOf(at: number, step: "day" | "hour"): { readonly from: string; readonly to: string } {
  const moment = (ms: number): string => new Date(ms).toISOString();
  if (step === "hour") return { from: moment(at), to: moment(at + HOUR_MS - 1_000) };
  return { from: moment(at).slice(0, 10), to: moment(at).slice(0, 10) };
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Two years of days, or a week of hours: a chart has no more points to show. */
const MAX_DAYS = { day: 731, hour: 7 };

function wantedOf(
  call: Pick<Call<z.output<typeof spendingQuery>, unknown>, "query" | "account">,
  nowMs: number,
): SpendingQuery {
  const { by, step, from, to, tag_key: tagKey } = call.query;
  const lastMs = to === undefined ? Math.floor(nowMs / DAY_MS) * DAY_MS : Date.parse(to);
  const firstMs = from === undefined ? lastMs - 29 * DAY_MS : Date.parse(from);
  const days = (lastMs - firstMs) / DAY_MS + 1;
  if (days < 1) throw refusal("to", "is before the first day.");
  if (days > MAX_DAYS[step]) throw refusal("from", `by the ${step} at most ${MAX_DAYS[step]} days.`);
  if (step === "hour" && (by === "key" || by === "user" || by === "tag"))
    throw refusal("step", "keys, users and tags are only available by day; use step=day.");
  if (by === "tag" && tagKey === undefined) throw refusal("tag_key", "is needed with by=tag.");
  const span = {
    accountId: call.account().id,
    from: new Date(firstMs),
    until: new Date(lastMs + DAY_MS),
    tagKey,
  };
  return { span, by, step, nowMs };
}

function refusal(param: string, words: string): GatewayError {
  return new GatewayError("invalid_request", `${param}: ${words}`, { param });
}
