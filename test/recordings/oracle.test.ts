import { beforeAll, describe, expect, it } from "vitest";
import { type Finding, judgePair, judgeStream } from "../support/oracle-judge.ts";
import { type Read, readPairs, readStreams } from "../support/oracle-rows.ts";
import { ORACLE_RULES, type Rule, ruleFor } from "../support/oracle-rules.ts";

/**
 * Another project's translations of the same cases. It is a peer and not the truth: where we differ, a
 * rule in `../support/oracle-rules.ts` says why ours is right or as right, or this fails.
 */
describe("translation beside a peer's", () => {
  const compared = { requests: 0, responses: 0, streams: 0 };
  const outside: Record<string, number> = {};
  const unexplained: Finding[] = [];
  const used = new Set<Rule>();

  beforeAll(() => {
    for (const row of inside(readPairs())) {
      compared.requests += 1;
      if (row.answer !== undefined) compared.responses += 1;
      else count("the peer's own request was refused, so there is no answer to it");
      judgePair(row).forEach(judge);
    }
    for (const row of inside(readStreams())) {
      compared.streams += 1;
      judgeStream(row).forEach(judge);
    }
  });

  function inside<Row>(rows: readonly Read<Row>[]): Row[] {
    return rows.flatMap((read) => {
      if ("row" in read) return [read.row];
      count(read.outside);
      return [];
    });
  }

  function judge(finding: Finding): void {
    const rule = ruleFor(finding);
    if (rule === undefined) unexplained.push(finding);
    else used.add(rule);
  }

  function count(why: string): void {
    outside[why] = (outside[why] ?? 0) + 1;
  }

  it("is compared on every row of the directory that is in scope", () => {
    expect(compared).toEqual({ requests: 389, responses: 381, streams: 43 });
    expect(outside).toEqual({
      "the peer's own request was refused, so there is no answer to it": 8,
      "a whole plain answer in place of a stream": 5,
    });
  });

  it.each(["request", "answer", "stream"] as const)("agrees, or a rule says why not: %s", (side) => {
    expect(unexplained.filter((finding) => finding.side === side)).toEqual([]);
  });

  it("needs each of its rules", () => {
    const unused = ORACLE_RULES.filter((rule) => !used.has(rule));
    expect(unused.map(({ why }) => why)).toEqual([]);
  });
});
