import { resolve } from "node:path";
import { parseArgs } from "node:util";

export const PARTS = ["plain", "stream", "translated", "block", "start", "console"] as const;
export type Part = (typeof PARTS)[number];

export interface Options {
  /** Length of one measurement of one server. */
  readonly seconds: number;
  /** Load on each server before its first measurement. */
  readonly warmUpSeconds: number;
  /** Measurements of each program; what is printed is the median of a server's. */
  readonly rounds: number;
  /** Programs of each server of Node's, as no two are equally fast. */
  readonly starts: number;
  readonly parts: readonly Part[];
  readonly peers: boolean;
  /** Whole streams in one write of the upstream, instead of event by event. */
  readonly coalesced: boolean;
  /** The gateway's database on the gateway's own core. */
  readonly oneCore: boolean;
  /** Another checkout of the gateway, installed and built, that is measured beside this one. */
  readonly beside: string | undefined;
  /** Where the results go as JSON. */
  readonly json: string | undefined;
  /** Where the gateway's CPU profile goes. */
  readonly profile: string | undefined;
}

const USAGE = `npm run bench -- [options]

  --seconds N         length of one measurement (default 1)
  --warm-up N         seconds of load on each server before it is measured (default 60)
  --rounds N          measurements of each program, interleaved; medians are printed (default 10)
  --starts N          programs of the gateway and of the proxies, as no two are equally fast (default 3)
  --only PART         plain, stream, translated, block, start or console; may be repeated (default all)
  --no-peers          do not install and measure the TypeScript peer from npm
  --coalesced         the upstream writes a stream at once instead of event by event
  --one-core          put the gateway's database on the gateway's own core
  --beside FOLDER     measure another checkout too, installed and built, such as the commit before
  --json FILE         write the results there too
  --profile FOLDER    write the gateway's CPU profile there (it is slower while profiled)`;

/** Reads the command line; throws with the usage where it does not fit. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseOrExplain(args);
  const parts = values.only ?? [];
  const unknown = parts.find((part) => !(PARTS as readonly string[]).includes(part));
  if (unknown !== undefined)
    throw new Error(`--only takes ${PARTS.join(", ")}, not "${unknown}"\n\n${USAGE}`);
  return {
    seconds: positive("--seconds", values.seconds),
    warmUpSeconds: positive("--warm-up", values["warm-up"]),
    rounds: Math.ceil(positive("--rounds", values.rounds)),
    starts: Math.ceil(positive("--starts", values.starts)),
    parts: parts.length === 0 ? PARTS : PARTS.filter((part) => parts.includes(part)),
    peers: !values["no-peers"],
    coalesced: values.coalesced,
    oneCore: values["one-core"],
    beside: values.beside === undefined ? undefined : resolve(values.beside),
    json: values.json,
    profile: values.profile,
  };
}

function parseOrExplain(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        seconds: { type: "string", default: "1" },
        "warm-up": { type: "string", default: "60" },
        rounds: { type: "string", default: "10" },
        starts: { type: "string", default: "3" },
        only: { type: "string", multiple: true },
        peers: { type: "boolean", default: true },
        "no-peers": { type: "boolean", default: false },
        coalesced: { type: "boolean", default: false },
        "one-core": { type: "boolean", default: false },
        beside: { type: "string" },
        json: { type: "string" },
        profile: { type: "string" },
      },
    });
  } catch (error) {
    throw new Error(`${(error as Error).message}\n\n${USAGE}`);
  }
}

function positive(name: string, text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new Error(`${name} takes a number above 0, not "${text}"\n\n${USAGE}`);
  return number;
}
