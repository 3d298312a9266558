import { shortUsd } from "../base/money.ts";

/** A message to an incoming webhook of Slack. Source: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
export function slackMessage(event: string, data: object): object {
  return { text: escapeSlack(textOf(event, data)) };
}

/** A message to a Teams workflow, as an adaptive card. Source: https://learn.microsoft.com/power-automate/teams/teams-app-create#webhook */
export function teamsMessage(event: string, data: object): object {
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    body: [{ type: "TextBlock", text: textOf(event, data), wrap: true }],
  };
  const attachment = { contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content };
  return { type: "message", attachments: [attachment] };
}

/** Fields of an alert's data that its sentence names; amounts are nanos as decimal text. */
interface AlertData {
  readonly account_name?: string;
  readonly budget_name?: string;
  readonly percent?: number;
  readonly period?: string;
  readonly spent_nanos?: string;
  readonly amount_nanos?: string;
  readonly hard?: boolean;
}

function textOf(event: string, data: AlertData): string {
  const { account_name: account = "", budget_name: budget = "", percent = 0, period = "month" } = data;
  if (event === "budget.test") return `Test: alerts of budget "${budget}" of account "${account}" come here.`;
  if (event !== "budget.reached") return `${event}: account "${account}"`;
  const [spent, amount] = [data.spent_nanos, data.amount_nanos].map((nanos) =>
    shortUsd(BigInt(nanos ?? "0")),
  );
  const refuses = data.hard === true && percent >= 100 ? " Requests that exceed it are refused." : "";
  return `Budget "${budget}" of account "${account}" has reached ${percent}%: ${spent} of ${amount} spent this ${period}.${refuses}`;
}

/** Slack reads these three as markup, so a name can neither link nor mention anybody. */
function escapeSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
