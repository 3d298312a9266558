import { wordsOf } from "../words/use-words.ts";

/** What a receipt says. */
export const receiptWords = wordsOf({
  en: {
    receipt: "Receipt",
    running: (hold: string) => `Not charged yet; ${hold} reserved.`,
    item: "Item",
    units: "Quantity",
    price: "Unit price",
    amount: "Amount",
    perMillion: (price: string) => `${price} per million`,
    each: (price: string) => `${price} each`,
    sum: "Subtotal",
    factor: "Group price multiplier",
    exact: "Exact total",
    rounded: "Rounded to a billionth of a dollar",
    charged: "Charged",
    notCharged: "Requests with this outcome aren't charged.",
    noLines: "No usage",
    hold: (hold: string, released: string | undefined) =>
      released === undefined
        ? `${hold} was reserved while it ran.`
        : `${hold} was reserved while it ran; ${released} was released.`,
    row: (name: string) => `Prices of the row “${name}” of the model's price table.`,
    dimensions: { tier: "Service tier", speed: "Speed", region: "Region", hours: "Hours" },
    from: { answer: "reported by the vendor", asked: "as requested", time: "when it was accepted" },
    served: (dimension: string, name: string, from: string, factor: string | undefined) =>
      factor === undefined
        ? `${dimension} “${name}”, ${from}.`
        : `${dimension} “${name}”, ${from}: token prices × ${factor}.`,
    unpriced: (names: string) =>
      `The model has no price for ${names}; the highest price of its tokens was charged.`,
    estimated: "The vendor didn't report all usage; the gateway estimated the rest.",
    ignored: (fields: string) => `Ignored impossible values reported by the vendor: ${fields}`,
    buckets: {
      input_uncached: "Input",
      cache_read: "Cache read",
      cache_write_5m: "Cache write, 5 min",
      cache_write_1h: "Cache write, 1 h",
      output_visible: "Output",
      output_reasoning: "Reasoning",
    },
    images: (of: string) => `Images, ${of}`,
    seconds: (of: string) => `Video seconds, ${of}`,
  },
  zh: {
    receipt: "收据",
    running: (hold: string) => `尚未收费；已预留 ${hold}。`,
    item: "项目",
    units: "数量",
    price: "单价",
    amount: "金额",
    perMillion: (price: string) => `每百万 ${price}`,
    each: (price: string) => `每个 ${price}`,
    sum: "小计",
    factor: "分组价格倍率",
    exact: "精确总额",
    rounded: "四舍五入到十亿分之一美元",
    charged: "实收",
    notCharged: "此结果的请求不收费。",
    noLines: "没有用量",
    hold: (hold: string, released: string | undefined) =>
      released === undefined ? `运行期间预留了 ${hold}。` : `运行期间预留了 ${hold}；已释放 ${released}。`,
    row: (name: string) => `按模型价格表中“${name}”一行计价。`,
    dimensions: { tier: "服务等级", speed: "速度", region: "区域", hours: "时段" },
    from: { answer: "由供应商报告", asked: "按请求", time: "按受理时间" },
    served: (dimension: string, name: string, from: string, factor: string | undefined) =>
      factor === undefined
        ? `${dimension}“${name}”，${from}。`
        : `${dimension}“${name}”，${from}：token 价格 × ${factor}。`,
    unpriced: (names: string) => `该模型没有 ${names} 的价格；已按其 token 的最高价格收费。`,
    estimated: "供应商未报告全部用量，其余由网关估算。",
    ignored: (fields: string) => `已忽略供应商报告的异常数值：${fields}`,
    buckets: {
      input_uncached: "输入",
      cache_read: "缓存读取",
      cache_write_5m: "缓存写入（5 分钟）",
      cache_write_1h: "缓存写入（1 小时）",
      output_visible: "输出",
      output_reasoning: "推理",
    },
    images: (of: string) => `图片，${of}`,
    seconds: (of: string) => `视频秒数，${of}`,
  },
});
