import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { alertWords } from "./alert-words.ts";
import { writeMessage } from "./message.ts";

const BUDGET = {
  account: "7",
  account_name: "Acme",
  budget_name: "team",
  percent: 80,
  period: "month" as const,
  spent_nanos: "80123456789",
  amount_nanos: "100000000000",
  hard: false,
};
const READER = { language: "en" as const, baseUrl: "https://gate.example" };

describe("an e-mail", () => {
  it("says which account, which budget and which share, and where to go on, in both languages", () => {
    for (const language of ["en", "zh"] as const) {
      const words = alertWords("budget.reached", BUDGET, { ...READER, language });
      const { subject, text, html } = writeMessage(words ?? { subject: "", lines: [] }, language);
      for (const part of [text, html])
        for (const fact of [
          "Acme",
          "team",
          "80%",
          "$80.12",
          "$100",
          "https://gate.example/accounts/7/budgets",
        ])
          expect(part).toContain(fact);
      expect(subject).toMatch(/Acme.*team|team.*Acme/);
      expect(html).toContain(`lang="${language}"`);
    }
  });

  it.each(["budget.reached", "budget.test", "balance.low", "balance.test", "mail.test"])(
    "has words for %s",
    (event) => {
      for (const language of ["en", "zh"] as const)
        expect(
          alertWords(event, { ...BUDGET, threshold_nanos: "5" }, { ...READER, language })?.lines[0],
        ).toBeTruthy();
    },
  );

  it("has a subject of one line and HTML without an element, whatever names hold", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.string({ unit: "binary" }),
        (account_name, budget_name) => {
          const words = alertWords("budget.reached", { ...BUDGET, account_name, budget_name }, READER);
          const { subject, text, html } = writeMessage(words ?? { subject: "", lines: [] }, "en");
          expect(subject).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
          expect([...subject].length).toBeLessThanOrEqual(150);
          expect(text.split("\n\n")).toHaveLength(2);
          expect(html.match(/<[^>]*>/g)).toHaveLength(11);
        },
      ),
    );
  });
});
