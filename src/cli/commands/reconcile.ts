import { WorkerLost } from "../../base/async/worker-pool.ts";
import { formatDecimal } from "../../base/money.ts";
import { counted } from "../../base/text.ts";
import { readFileText } from "../../manifest/file/read.ts";
import { CAUSE_NAMES } from "../../reconcile/cause-sentence.ts";
import { ExportFormatError, readAmount } from "../../reconcile/export-row.ts";
import {
  DEFAULT_TOLERANCE,
  type ReconcileReport,
  type ReportedDifference,
} from "../../reconcile/reconcile.ts";
import { reconcileInThread } from "../../reconcile/reconcile-thread.ts";
import { isZone } from "../../reconcile/zone-days.ts";
import { type Command, CommandFailure, UsageError } from "../command.ts";
import { withDatabase } from "../open.ts";
import { columns } from "../text-table.ts";

/** The memory that Node gives to a process. */
const MEMORY_MB = 4_096;

/** Holds a vendor's export of usage or costs against the cost rows of the same days. */
export const reconcileCommand: Command = {
  name: "reconcile",
  summary: "compare a vendor's export with recorded costs; exit code 1 = differences, 3 = could not run",
  positionals: ["FILE"],
  options: {
    upstream: {
      type: "string",
      value: "a,b",
      help: "upstreams whose requests to compare, separated by commas (default: all)",
    },
    project: { type: "string", value: "ID", help: "project whose rows of the export to compare" },
    workspace: { type: "string", value: "ID", help: "workspace whose rows of the export to compare" },
    zone: {
      type: "string",
      value: "ZONE",
      help: "time zone of the vendor's days (default: UTC; America/Los_Angeles for Google)",
    },
    tolerance: {
      type: "string",
      value: "USD",
      help: `tolerated difference per day, model and bucket, in US dollars (default: ${DEFAULT_TOLERANCE})`,
    },
    json: { type: "boolean", help: "print the result as JSON" },
  },
  failureCode: 3,
  examples: [
    "faregate reconcile costs.json --upstream openai",
    "faregate reconcile billing.csv --project my-project --zone America/Los_Angeles",
    "faregate reconcile costs.json --tolerance 0.05 --json | jq .causes",
  ],
  async run({ config, positionals: [file = ""], text, flag }) {
    const zone = text("zone");
    if (zone !== undefined && !isZone(zone))
      throw new UsageError(
        `--zone takes the name of a time zone, such as America/Los_Angeles; "${zone}" is none`,
      );
    const tolerance = readAmount(text("tolerance") ?? DEFAULT_TOLERANCE);
    if (tolerance === undefined || tolerance < 0n)
      throw new UsageError("--tolerance takes an amount in US dollars, such as 0.01");
    if (text("project") !== undefined && text("workspace") !== undefined)
      throw new UsageError("--project and --workspace are the same filter; pass one of them");
    const project = text("project") ?? text("workspace");
    const upstreams = text("upstream")?.split(",");
    const exported = new TextEncoder().encode(await readFileText(file));
    return withDatabase(config, "reconcile", async ({ database }) => {
      const options = { project, upstreams, zone, tolerance };
      const report = await reconcileInThread(database, [exported], options, { memoryMb: MEMORY_MB }).catch(
        (error: unknown) => {
          if (error instanceof ExportFormatError) throw new CommandFailure(error.describe(file));
          if (error instanceof WorkerLost)
            throw new CommandFailure(
              `The comparison takes more than ${MEMORY_MB / 1_024} GB. Split the export by day.`,
            );
          throw error;
        },
      );
      console.log(flag("json") ? JSON.stringify(report, null, 2) : asText(report));
      return report.differences.length === 0 && report.causes.length === 0 ? 0 : 1;
    });
  },
};

function asText(report: ReconcileReport): string {
  const { format, zone, from, to, rows, differences, causes } = report;
  const theirs = report.theirs_usd === null ? "" : `, billed $${short(report.theirs_usd)}`;
  const about = `${format}, ${from === to ? from : `${from} to ${to}`} (${zone}), ${counted(rows, "row")}`;
  const header = ["DAY", "MODEL", "BUCKET", "RECORDED", "BILLED", "RECORDED USD", "BILLED USD", "DIFFERENCE"];
  const requests = differences.flatMap((each) =>
    each.requests.map(({ id, why }) => `  ${nameOf(each)}: ${id} (${why.join(", ")})`),
  );
  const more = report.differences_total - differences.length;
  const moreCauses = report.causes_total - causes.length;
  const leftOut = report.left_out.map(
    ({ reason, lines }) => `${counted(lines.length, "row")} ${reason} (${linesOf(lines)})`,
  );
  const lines = [
    ...(differences.length === 0 ? [] : columns([header, ...differences.map(rowOf)])),
    ...(more === 0 ? [] : [`These are the largest; ${counted(more, "smaller difference")} not listed.`]),
    ...(causes.length === 0
      ? []
      : ["Possible causes:", ...causes.map(({ name, text }) => `  ${CAUSE_NAMES[name]}: ${text}`)]),
    ...(moreCauses === 0 ? [] : [`  ${counted(moreCauses, "more cause")} not listed.`]),
    ...(requests.length === 0 ? [] : ["Related requests:", ...requests]),
    ...(leftOut.length === 0 ? [] : [`Left out: ${leftOut.join("; ")}.`]),
    `${resultOf(report)}: ${about}; recorded $${short(report.ours_usd)}${theirs}.`,
  ];
  return lines.join("\n");
}

function resultOf({ differences_total: total, causes }: ReconcileReport): string {
  if (total > 0) return counted(total, "difference");
  return causes.some(({ name }) => name === "nothing_recorded") ? "Nothing compared" : "No differences";
}

function rowOf(each: ReportedDifference): string[] {
  const { ours, theirs, difference_usd: difference } = each;
  return [
    each.day,
    each.model ?? "(all)",
    each.bucket ?? "(all)",
    String(ours.quantity ?? ""),
    String(theirs.quantity ?? ""),
    short(ours.usd ?? "0"),
    theirs.usd === null ? "" : short(theirs.usd),
    difference === null ? "" : short(difference),
  ];
}

/** The first lines of several. */
function linesOf(lines: readonly number[]): string {
  const shown = lines.slice(0, 5).join(", ");
  return `${lines.length === 1 ? "line" : "lines"} ${shown}${lines.length > 5 ? ", ..." : ""}`;
}

function nameOf({ day, model, bucket }: ReportedDifference): string {
  return [day, model, bucket].filter((each) => each !== null).join(" ");
}

/** Finer digits than nanos are in the JSON alone. */
function short(usd: string): string {
  return formatDecimal(readAmount(usd, 9) ?? 0n, 9);
}
