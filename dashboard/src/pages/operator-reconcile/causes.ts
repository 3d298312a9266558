import type { Reconciliation } from "../../../../src/console/reconcile/contract.ts";
import type { Language } from "../../words/language.ts";

type Cause = Reconciliation["causes"][number];

/** What explains a difference, as a sentence. English pages show the gateway's. */
export function explanationIn(language: Language, { sentence, text, where, values, more }: Cause): string {
  if (language === "en") return text;
  const said = CHINESE[sentence](values, (separator) => {
    const shown = values.join(separator);
    return more > 0 ? `${shown} 等 ${values.length + more} 项` : shown;
  });
  return where === null ? said : `${where}：${said}`;
}

/** Lists the values with what stands between them. */
type List = (separator: string) => string;

/** Each has its words here, or the types do not fit. */
const CHINESE: Readonly<Record<Cause["sentence"], (values: readonly string[], list: List) => string>> = {
  currency: (_, list) => `导出文件中有以 ${list("、")} 计的金额，未作比较：成本以 USD 计。`,
  nothing_recorded: () => "导出文件的日期内没有记录任何请求，因此未作任何比较。请检查日期、上游和时区。",
  project: ([project]) =>
    project === undefined
      ? "仅比较不属于任何项目的行时没有差异；其余各行属于其他项目。"
      : `仅比较项目 ${project} 的行时没有差异；其余各行属于其他项目。请在“项目或工作区”中填写 ${project}。`,
  time_zone: ([zone, compared]) =>
    `导出文件的日期以 ${zone} 的午夜为界，而非 ${compared}。请在“日期的时区”中填写 ${zone}。`,
  duplicate_row: ([times]) => `导出文件中同一行出现了 ${times} 次。`,
  tier: ([tier, billed, recorded]) =>
    `供应商按服务等级“${tier}”对 ${billed} 个 token 收费，此处的请求按该等级使用了 ${recorded} 个。`,
  tier_factor: ([ratio]) => `数量一致，但每项金额都是我们的 ${ratio} 倍：可能是其他服务等级或折扣。`,
  bucket: (_, list) => `供应商将相同的 token 计入了其他类别（${list("、")}）。`,
  rounding: () => "供应商对金额进行了舍入。",
  price_change: (_, list) => `数量一致，但价格是我们的 ${list(" 或 ")} 倍；其他日期的价格一致。`,
  price: (_, list) => `数量一致，但价格是我们的 ${list(" 或 ")} 倍。`,
  price_unstated: () => "金额不同，且导出文件未说明数量。",
  not_recorded_here: (_, list) => `供应商对此处没有相应请求的用量收费（${list("、")}）。`,
  not_billed: (_, list) => `供应商未对此处请求的全部用量收费（${list("、")}）。`,
};
