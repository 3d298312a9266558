import { findFailedRequest, type LoggedFailure } from "../../billing/failed-requests/logged-failure-store.ts";
import { type Command, CommandFailure } from "../command.ts";
import { withDatabase } from "../open.ts";
import { columns } from "../text-table.ts";

/** Says why a request failed. */
export const requestsCommand: Command = {
  name: "requests",
  summary: "show why a request was refused or failed, with each of its attempts",
  positionals: ["ID"],
  options: { json: { type: "boolean", help: "print the result as JSON" } },
  examples: ["faregate requests req_0123456789abcdef0123456789abcdef", "faregate requests ID --json"],
  async run({ config, positionals: [id = ""], flag }) {
    return withDatabase(config, "requests", async ({ database }) => {
      const found = await findFailedRequest(database, id);
      if (found === undefined)
        throw new CommandFailure(
          `no refused or failed text request of a known key has the id "${id}". It may have succeeded at once, be older than ` +
            "settings.refusal_retention_days, be an image or video, whose task says why it failed, or have come with an " +
            "unknown key; GET /api/operator/unknown-keys counts those",
        );
      console.log(flag("json") ? JSON.stringify(jsonOf(found), null, 2) : textOf(found));
      return 0;
    });
  },
};

function jsonOf(found: LoggedFailure): object {
  return {
    request_id: found.requestId,
    accepted_at: found.acceptedAt.toISOString(),
    account: { id: String(found.accountId), name: found.accountName },
    key: { id: String(found.keyId), name: found.keyName },
    endpoint: found.endpoint,
    model: found.model,
    status: found.status,
    error_code: found.code,
    message: found.message,
    limit: found.limit,
    upstream: found.upstream,
    refused: !found.isInUsageLog,
    total_ms: found.totalMs,
    attempts: found.attempts,
  };
}

function textOf(found: LoggedFailure): string {
  const { requestId, status, code, message, limit, accountName, keyName, model, endpoint, attempts } = found;
  const lines = [
    `${requestId}  ${found.acceptedAt.toISOString()}  ${status} ${code}${limit === null ? "" : ` (${limit})`}`,
    `account ${accountName ?? found.accountId}, key ${keyName ?? found.keyId}, model ${model ?? "unknown"}, ${endpoint}`,
  ];
  if (message !== "") lines.push(message);
  if (attempts.length === 0) return [...lines, withoutAttempts(found)].join("\n");
  const rows = attempts.map((each) => [
    each.upstream,
    each.credential,
    String(each.status ?? "-"),
    each.type || each.code || "-",
    `${each.began_ms}-${each.ended_ms} ms`,
    each.vendor_request_id ?? "-",
    each.message,
  ]);
  const titles = ["UPSTREAM", "CREDENTIAL", "STATUS", "TYPE", "TIME", "VENDOR'S ID", "MESSAGE"];
  return [...lines, "", ...columns([titles, ...rows])].join("\n");
}

function withoutAttempts({ upstream }: LoggedFailure): string {
  return upstream === null ? "No upstream was asked." : `The upstream ${upstream} was asked.`;
}
