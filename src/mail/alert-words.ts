import { shortUsd } from "../base/money.ts";
import type { Language, Words } from "./message.ts";

/** An alert as the queue holds it; amounts are nanos as decimal text. */
export interface AlertData {
  readonly account?: string;
  readonly account_name?: string;
  readonly budget_name?: string;
  readonly percent?: number;
  readonly period?: "day" | "week" | "month";
  readonly spent_nanos?: string;
  readonly amount_nanos?: string;
  readonly hard?: boolean;
  readonly threshold_nanos?: string;
  readonly available_nanos?: string;
}

/** What an alert says in an e-mail; undefined = the event is none that e-mail tells of. */
export function alertWords(
  event: string,
  data: AlertData,
  { language, baseUrl }: { readonly language: Language; readonly baseUrl: string },
): Words | undefined {
  const { account = "" } = data;
  const say = SENTENCES[language];
  const budgets = { label: say.openBudgets, url: `${baseUrl}/accounts/${account}/budgets` };
  const statement = { label: say.openStatement, url: `${baseUrl}/accounts/${account}/statement` };
  switch (event) {
    case "budget.reached":
      return { ...say.budget(data), link: budgets };
    case "budget.test":
      return { ...say.budgetTest(data), link: budgets };
    case "balance.low":
      return { ...say.balance(data), link: statement };
    case "balance.test":
      return { ...say.balanceTest(data), link: statement };
    case "mail.test":
      return { ...say.mailTest, link: { label: say.openSettings, url: `${baseUrl}/operator/settings` } };
    default:
      return undefined;
  }
}

interface Sentences {
  readonly openBudgets: string;
  readonly openStatement: string;
  readonly openSettings: string;
  readonly mailTest: Words;
  budget(data: AlertData): Words;
  budgetTest(data: AlertData): Words;
  balance(data: AlertData): Words;
  balanceTest(data: AlertData): Words;
}

const usd = (nanos: string | undefined): string => shortUsd(BigInt(nanos ?? "0"));
const refuses = ({ hard, percent = 0 }: AlertData): boolean => hard === true && percent >= 100;

const SENTENCES: Readonly<Record<Language, Sentences>> = {
  en: {
    openBudgets: "Open the account's budgets",
    openStatement: "Open the account's statement",
    openSettings: "Open the settings",
    mailTest: { subject: "Test of the mail server", lines: ["The gateway can send e-mail."] },
    budget(data) {
      const { account_name, budget_name, percent, period = "month" } = data;
      const lines = [
        `Budget "${budget_name}" of account "${account_name}" has reached ${percent}%: ${usd(data.spent_nanos)} of ${usd(data.amount_nanos)} spent this ${period}.`,
      ];
      if (refuses(data)) lines.push("Requests that exceed it are refused.");
      return { subject: `Budget "${budget_name}" of "${account_name}" has reached ${percent}%`, lines };
    },
    budgetTest: ({ account_name, budget_name }) => ({
      subject: `Test: alerts of budget "${budget_name}" of "${account_name}"`,
      lines: [`Alerts of budget "${budget_name}" of account "${account_name}" come to this address.`],
    }),
    balance: (data) => ({
      subject: `Low balance of "${data.account_name}"`,
      lines: [
        `Account "${data.account_name}" has ${usd(data.available_nanos)} left, less than ${usd(data.threshold_nanos)}.`,
      ],
    }),
    balanceTest: ({ account_name, threshold_nanos }) => ({
      subject: `Test: low-balance alert of "${account_name}"`,
      lines: [
        `An alert comes to this address when account "${account_name}" has less than ${usd(threshold_nanos)}.`,
      ],
    }),
  },
  zh: {
    openBudgets: "打开账户的预算",
    openStatement: "打开账户的对账单",
    openSettings: "打开设置",
    mailTest: { subject: "邮件服务器测试", lines: ["网关可以发送电子邮件。"] },
    budget(data) {
      const { account_name, budget_name, percent, period = "month" } = data;
      const lines = [
        `账户“${account_name}”的预算“${budget_name}”已达到 ${percent}%：${ZH_PERIODS[period]}已支出 ${usd(data.spent_nanos)}，共 ${usd(data.amount_nanos)}。`,
      ];
      if (refuses(data)) lines.push("超出预算的请求会被拒绝。");
      return { subject: `“${account_name}”的预算“${budget_name}”已达到 ${percent}%`, lines };
    },
    budgetTest: ({ account_name, budget_name }) => ({
      subject: `测试：“${account_name}”的预算“${budget_name}”的提醒`,
      lines: [`账户“${account_name}”的预算“${budget_name}”的提醒会发送到此邮箱。`],
    }),
    balance: (data) => ({
      subject: `“${data.account_name}”余额不足`,
      lines: [
        `账户“${data.account_name}”剩余 ${usd(data.available_nanos)}，低于 ${usd(data.threshold_nanos)}。`,
      ],
    }),
    balanceTest: ({ account_name, threshold_nanos }) => ({
      subject: `测试：“${account_name}”的余额不足提醒`,
      lines: [`当账户“${account_name}”的余额低于 ${usd(threshold_nanos)} 时，提醒会发送到此邮箱。`],
    }),
  },
};

const ZH_PERIODS = { day: "今日", week: "本周", month: "本月" };
