import { wordsOf } from "../words/use-words.ts";

/** What the parts themselves say. */
export const partsWords = wordsOf({
  en: {
    close: "Close",
    cancel: "Cancel",
    retry: "Try again",
    wrong: "Something went wrong on this page.",
    unreachable: "The gateway cannot be reached. Is it running, and are you online?",
    requestId: "Request id",
    typeToConfirm: (text: string) => `Type “${text}” to confirm`,
    copy: "Copy",
    copied: "Copied",
    download: "Download",
    secretOnce:
      "This is shown this once. Copy it or download it now: nobody can read it later, not even an operator.",
    loading: "Loading…",
    first: "First page",
    next: "Next page",
    asTable: "As a table",
    asChart: "As a chart",
    day: "Day",
    time: "Time",
    nothing: "Nothing here",
    yes: "Yes",
    no: "No",
    clear: "Clear filters",
    search: "Search",
    choices: "What was found",
    found: (count: number, more: boolean) =>
      count === 0
        ? "Nothing is called like that"
        : more
          ? `The first ${count}; type more of the name for others`
          : `${count} found`,
  },
  zh: {
    close: "关闭",
    cancel: "取消",
    retry: "重试",
    wrong: "此页面出错了。",
    unreachable: "无法连接网关。它在运行吗？您的网络正常吗？",
    requestId: "请求 ID",
    typeToConfirm: (text: string) => `输入“${text}”以确认`,
    copy: "复制",
    copied: "已复制",
    download: "下载",
    secretOnce: "此内容仅显示这一次。请立即复制或下载：之后任何人都无法再次查看，包括运营者。",
    loading: "加载中…",
    first: "第一页",
    next: "下一页",
    asTable: "以表格显示",
    asChart: "以图表显示",
    day: "日期",
    time: "时间",
    nothing: "暂无内容",
    yes: "是",
    no: "否",
    clear: "清除筛选",
    search: "搜索",
    choices: "搜索结果",
    found: (count: number, more: boolean) =>
      count === 0 ? "没有匹配的名称" : more ? `前 ${count} 项；输入更多名称以查找其他项` : `找到 ${count} 项`,
  },
});
