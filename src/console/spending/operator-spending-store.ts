import { keyAndValue } from "../../accounts/tags.ts";
import { GatewayError } from "../../errors.ts";
import type { Queryable } from "../../storage/database.ts";
import type { OperatorSpendingQuery } from "./operator-contract.ts";

export type SpendingBy = OperatorSpendingQuery["by"];

export interface SpendingWanted
  extends Pick<
    OperatorSpendingQuery,
    "by" | "account" | "group" | "user" | "key" | "model" | "upstream" | "tag" | "tag_key"
  > {
  /** Days, UTC, both included. */
  readonly from: string;
  readonly to: string;
}

/** The last row of a page. */
export interface SpendingPlace {
  readonly chargeNanos: bigint;
  readonly id: string;
}

export interface StoredSpending {
  /** null = of all. */
  readonly id: string | null;
  readonly name: string | null;
  readonly accountId: bigint | null;
  readonly accountName: string | null;
  readonly requests: bigint;
  readonly errors: bigint;
  readonly inputTokens: bigint;
  readonly outputTokens: bigint;
  readonly chargeNanos: bigint;
  /** Costs are numeric: sums of what vendors say have no bound. */
  readonly costNanos: string;
  readonly marginNanos: string;
  readonly unknownCosts: bigint;
  readonly unknownChargeNanos: bigint;
}

type Filter = "account" | "group" | "user" | "key" | "model" | "upstream" | "tag";
type Put = (value: unknown) => string;

/** What each table of sums can be asked for: all of a request's own facts in one table would be as many rows as requests. */
const SOURCES: readonly { readonly table: string; readonly knows: readonly Filter[] }[] = [
  { table: "spending_days", knows: ["account", "group", "model", "upstream"] },
  { table: "usage_keys", knows: ["account", "group", "user", "key"] },
  { table: "spending_tags", knows: ["account", "group", "model", "tag"] },
];

const TIMES: readonly SpendingBy[] = ["month", "day"];

/** The condition of each filter. */
const CONDITIONS: Readonly<Record<Filter, (value: string, put: Put) => string>> = {
  account: (value, put) => `d.account_id = ${put(value)}::int8`,
  group: (value, put) => `d.account_id in (select id from accounts where group_name = ${put(value)})`,
  user: (value, put) => `d.key_id in (select id from api_keys where created_by = ${put(value)}::int8)`,
  key: (value, put) => `d.key_id = ${put(value)}::int8`,
  model: (value, put) => `d.model = ${put(value)}`,
  upstream: (value, put) => `d.upstream = ${put(value)}`,
  tag(tag, put) {
    const [key, value = ""] = keyAndValue(tag);
    return `d.tag_key = ${put(key)} and d.value = ${put(value === OTHER_VALUES ? "" : value)}`;
  },
};

/** The ids of values that have no sums of their own, and of requests without the tag. */
const OTHER_VALUES = "(other)";
const UNTAGGED = "(none)";

interface Grouping {
  /** Of the table of sums: it is summed by this before anything is named, as there may be thousands of names. */
  readonly by: string;
  /** From f, those sums: the group's id, name and account. */
  readonly named: string;
  readonly joined: string;
}

const OWN_NAME = { named: `f.by as id, nullif(f.by, '') as name, ${noAccount()}`, joined: "" };
const OF_ACCOUNTS = "left join accounts a on a.id = f.by";
const OF_KEYS = "left join api_keys k on k.id = f.by";

const GROUPINGS: Readonly<Record<SpendingBy, Grouping>> = {
  account: {
    by: "d.account_id",
    named: "f.by::text as id, a.name, a.id as account_id, a.name as account_name",
    joined: OF_ACCOUNTS,
  },
  group: {
    by: "d.account_id",
    named: `coalesce(a.group_name, '') as id, a.group_name as name, ${noAccount()}`,
    joined: OF_ACCOUNTS,
  },
  user: {
    by: "d.key_id",
    named: `coalesce(u.id::text, 'nobody') as id, u.email as name, ${noAccount()}`,
    joined: `${OF_KEYS} left join users u on u.id = k.created_by`,
  },
  key: {
    by: "d.key_id",
    named: `case when k.playground then 'playground' else f.by::text end as id,
      case when k.playground then null else k.name end as name,
      case when not k.playground then a.id end as account_id, case when not k.playground then a.name end as account_name`,
    joined: `${OF_KEYS} left join accounts a on a.id = k.account_id`,
  },
  model: { by: "d.model", ...OWN_NAME },
  upstream: { by: "d.upstream", ...OWN_NAME },
  tag: {
    by: "d.value",
    named: `coalesce(case f.by when '' then '${OTHER_VALUES}' else f.by end, '${UNTAGGED}') as id,
      nullif(f.by, '') as name, ${noAccount()}`,
    joined: "",
  },
  month: timeBy("YYYY-MM"),
  day: timeBy("YYYY-MM-DD"),
};

/** Days are summed before they are written out, as a text for each row takes longer than the sum. */
function timeBy(form: string): Grouping {
  const time = `to_char(f.by, '${form}')`;
  return { by: "d.day", named: `${time} as id, ${time} as name, ${noAccount()}`, joined: "" };
}

function noAccount(): string {
  return "null::int8 as account_id, null::text as account_name";
}

const SUMS = [
  ["requests", "requests", "int8"],
  ["errors", "errors", "int8"],
  ["input_tokens", "inputTokens", "int8"],
  ["output_tokens", "outputTokens", "int8"],
  ["charge_nanos", "chargeNanos", "int8"],
  ["cost_nanos", "costNanos", "numeric"],
  ["margin_nanos", "marginNanos", "numeric"],
  ["unknown_costs", "unknownCosts", "int8"],
  ["unknown_charge_nanos", "unknownChargeNanos", "int8"],
] as const;

const SUMMED = SUMS.map(([column, , type]) => `coalesce(sum(${column}), 0)::${type} as ${column}`).join(", ");
const SHOWN = SUMS.map(([column, name]) => `${column} as "${name}"`).join(", ");

/** Lets this transaction sum ten thousand keys in memory; PostgreSQL's own limit would write them to disk, which takes twice as long. */
export async function giveRoomForGroups(tx: Queryable): Promise<void> {
  await tx.execute("select set_config('work_mem', '32MB', true)");
}

/** The spending of all accounts: the total first, then at most `most` groups after a place, the most expensive first; times in order. */
export async function readSpending(
  db: Queryable,
  wanted: SpendingWanted,
  after: SpendingPlace | undefined,
  most: number | null,
): Promise<StoredSpending[]> {
  const { by, from, to } = wanted;
  const values: unknown[] = [from, to, most];
  const put: Put = (value) => `$${values.push(value)}`;
  const inOrder = TIMES.includes(by);
  const where = FILTERS.flatMap((name) => {
    const value = wanted[name];
    return value === undefined ? [] : [`and ${CONDITIONS[name](value, put)}`];
  });
  const place = after === undefined ? "" : placeAfter(after, inOrder, put);
  const grouping = GROUPINGS[by];
  return db.query<StoredSpending>(
    `with fine as materialized (
       select ${grouping.by} as by, ${SUMMED} from ${sourceOf(wanted, put)} d
        where d.day between $1::date and $2::date ${where.join(" ")} group by 1
     ), named as materialized (
       select ${grouping.named}, ${SUMMED} from fine f ${grouping.joined} group by 1, 2, 3, 4
       having sum(requests) <> 0 or sum(cost_nanos) <> 0 or sum(unknown_costs) <> 0
     ), listed as (
       select * from named ${place} order by ${inOrder ? "id" : "charge_nanos desc, id"} limit $3
     )
     select null as id, null as name, null::int8 as "accountId", null as "accountName", ${SHOWN}
       from (select ${SUMMED} from named) as total
     union all
     select id, name, account_id, account_name, ${SHOWN} from listed`,
    values,
  );
}

const FILTERS = Object.keys(CONDITIONS) as readonly Filter[];

function placeAfter({ chargeNanos, id }: SpendingPlace, inOrder: boolean, put: Put): string {
  if (inOrder) return `where id > ${put(id)}`;
  const charge = put(chargeNanos);
  return `where charge_nanos < ${charge}::int8 or (charge_nanos = ${charge}::int8 and id > ${put(id)})`;
}

/** The first table that has all that is asked for. Throws 400 where none has. */
function sourceOf(wanted: SpendingWanted, put: Put): string {
  const { by, tag_key: tagKey } = wanted;
  if (by === "tag" && tagKey === undefined)
    throw new GatewayError("invalid_request", "tag_key: is needed with by=tag.", { param: "tag_key" });
  const asked = FILTERS.filter((name) => wanted[name] !== undefined);
  const needed: readonly Filter[] = by === "month" || by === "day" ? asked : [by, ...asked];
  const source = SOURCES.find(({ knows }) => needed.every((name) => knows.includes(name)));
  // The sums of a tag know nothing of a request's other tags.
  const isTwice = by === "tag" && wanted.tag !== undefined;
  if (source !== undefined && !isTwice) return by === "tag" ? taggedAndNot(put(tagKey)) : source.table;
  throw new GatewayError(
    "invalid_request",
    `by: ${needed.join(", ")} are not summed together; ${SOURCES.map(({ knows }) => knows.join(", ")).join("; or ")} are. A request with all of them is found under /api/operator/requests.`,
    { param: "by" },
  );
}

/** The sums of a key's tags, and as null all that has none of them: what is left of everything. */
function taggedAndNot(key: string): string {
  const of = (value: string, sign: string): string =>
    `select day, account_id, model, ${value} as value, ${SUMS.map(([column]) => `${sign}${column} as ${column}`).join(", ")}`;
  return `(${of("value", "")} from spending_tags where tag_key = ${key}
    union all ${of("null", "")} from spending_days
    union all ${of("null", "-")} from spending_tags where tag_key = ${key})`;
}
