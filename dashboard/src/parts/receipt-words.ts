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
