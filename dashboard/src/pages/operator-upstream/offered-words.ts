import { wordsOf } from "../../words/use-words.ts";

export const offeredWords = wordsOf({
  en: {
    title: "Models the vendor offers",
    lead: (list: string, date: string) =>
      `Select the models to serve. Prices are in USD per 1,000,000 tokens from ${list} (${date}); check them against the vendor's own page.`,
    search: "Search models",
    model: "Model",
    fields: {
      context: "Context",
      output: "Max output",
      inputPrice: "Input, $",
      outputPrice: "Output, $",
    },
    none: "The vendor lists no models",
    noneNote: "Enter their names under Settings.",
    noMatch: "No models match",
    serves: (models: string) => `Already served as ${models}`,
    inCatalog: "In the catalog; its limits and price stay",
    unlisted: "No listed price; enter one",
    vendorPrices: "Vendor's prices",
    pricesOf: (model: string) => `Vendor's prices of ${model}`,
    add: (count: number) =>
      count === 0 ? "Add models" : count === 1 ? "Add 1 model" : `Add ${count} models`,
    addNote: (upstream: string) => `Adds them to the catalog and lets ${upstream} serve them.`,
    added: (count: number) => (count === 1 ? "1 model added." : `${count} models added.`),
  },
  zh: {
    title: "供应商提供的模型",
    lead: (list: string, date: string) =>
      `勾选要提供的模型。价格来自 ${list}（${date}），单位为美元 / 1,000,000 token；请与供应商的价格页核对。`,
    search: "搜索模型",
    model: "模型",
    fields: {
      context: "上下文",
      output: "最大输出",
      inputPrice: "输入（美元）",
      outputPrice: "输出（美元）",
    },
    none: "供应商未列出任何模型",
    noneNote: "请在“设置”中填写模型名称。",
    noMatch: "没有匹配的模型",
    serves: (models: string) => `已提供：${models}`,
    inCatalog: "目录中已有；其上限和价格保持不变",
    unlisted: "没有公开价格，请填写",
    vendorPrices: "供应商价格",
    pricesOf: (model: string) => `${model} 的供应商价格`,
    add: (count: number) => (count === 0 ? "添加模型" : `添加 ${count} 个模型`),
    addNote: (upstream: string) => `将模型加入目录，并由 ${upstream} 提供。`,
    added: (count: number) => `已添加 ${count} 个模型。`,
  },
});
