/** What stands for what in the paths below, once the database is filled. */
export interface Named {
  /** The account with half of all requests and a fifth of all keys. */
  readonly account: string;
  /** A key of it with many requests, and its model that is rarely asked for. */
  readonly key: string;
  readonly rareModel: string;
  readonly request: string;
  readonly upstream: string;
  /** Days, `YYYY-MM-DD`. */
  readonly firstDay: string;
  readonly lastWeek: string;
  readonly today: string;
}

/** What the pages ask for: name, and path below /api. */
export function consolePaths(named: Named): readonly (readonly [page: string, path: string])[] {
  const account = `/accounts/${named.account}`;
  const requests = `${account}/requests?limit=50`;
  const month = `from=${named.firstDay}&to=${named.today}`;
  return [
    ["session", "/session"],
    ["own sessions", "/me/sessions"],
    ["models", `${account}/models`],
    ["keys", `${account}/keys?limit=50`],
    ["keys, searched", `${account}/keys?limit=50&search=key-77`],
    ["one key", `${account}/keys/${named.key}`],
    ["requests", requests],
    ["requests of a key", `${requests}&key=${named.key}`],
    ["requests of a model", `${requests}&model=model-1`],
    ["requests of a rare model", `${requests}&model=${named.rareModel}`],
    ["requests of an endpoint", `${requests}&endpoint=rerank`],
    ["requests that failed", `${requests}&outcome=failed`],
    ["requests with 5xx", `${requests}&outcome=failed&status=5xx`],
    ["requests by reason", `${requests}&reason=client_aborted`],
    ["requests that were dear", `${requests}&min_cost_nanos=49900000`],
    ["requests of a rare model that failed", `${requests}&model=${named.rareModel}&outcome=failed`],
    ["requests of an upstream", `${requests}&upstream=upstream-2`],
    ["requests of two weeks ago", `${requests}&to=${named.firstDay}T12:00:00Z`],
    ["one request", `${account}/requests/${named.request}`],
    ["spending by model", `${account}/spending?by=model&${month}`],
    ["spending by key", `${account}/spending?by=key&${month}`],
    ["spending by person", `${account}/spending?by=user&${month}`],
    ["spending by endpoint", `${account}/spending?by=endpoint&${month}`],
    ["spending by hour", `${account}/spending?by=model&step=hour&from=${named.lastWeek}`],
    ["statement", `${account}/statement?limit=50`],
    ["balance", `${account}/balance`],
    ["tasks", `${account}/tasks?limit=50`],
    ["assets", `${account}/assets`],
    ["members", `${account}/members`],
    ["account's audit log", `${account}/audit`],
    ["operator: accounts", "/operator/accounts?limit=50"],
    ["operator: one account", `/operator${account}`],
    ["operator: users", "/operator/users"],
    ["operator: invitations", "/operator/invitations"],
    ["operator: upstreams", "/operator/upstreams"],
    ["operator: an upstream's report", `/operator/upstreams/${named.upstream}/report`],
    ["operator: models", "/operator/models"],
    ["operator: unpriced usage", "/operator/unpriced-usage"],
    ["operator: routing", "/operator/routing?model=text-large&group=default"],
    ["operator: losses", "/operator/ledger/losses"],
    ["operator: vendors' costs", "/operator/ledger/vendor-costs"],
    ["operator: margins", "/operator/margins"],
    ["operator: quarantine", "/operator/ledger/quarantine"],
    ["operator: queue", "/operator/queue"],
    ["operator: queue counts", "/operator/queue/counts"],
    ["operator: audit log", "/operator/audit?limit=50"],
    ["operator: traffic", "/operator/traffic"],
    ["operator: settings", "/operator/settings"],
    ["operator: code batches", "/operator/code-batches"],
    ["operator: groups", "/operator/groups"],
  ];
}
