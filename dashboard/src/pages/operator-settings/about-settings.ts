/** What each setting is, where the page does not speak the English of the catalog file's schema. */
export const ABOUT_ZH: Readonly<Record<string, string>> = {
  egress_allow: "受限客户端可以访问的内网地址：CIDR 或 主机:端口",
  task_deadline_minutes: "已接受的任务在此分钟数内必定结束：完成，或失败并退款",
  usage_retention_days: "请求日志保留的天数",
  task_retention_days: "已结束的任务保留的天数，至少 30",
  count_tokens: "提供免费的 token 计数接口，每个密钥每分钟 60 次",
  charge_empty_answers: "上游没有产生任何内容时，仍对输入收费",
  keepalive: "流式请求的调用方最长多少毫秒收不到任何数据：首个事件之前，以及此后",
  mirror: "任务结果的副本存放在哪里，并由稳定链接提供",
  metrics_address: "改由此 主机:端口 提供 /metrics，探针也在此提供",
  metrics_token: "其他机器上的监控读取主地址的 /metrics 时所用的 Bearer 令牌；只保存其哈希",
  trusted_proxies: "其 x-forwarded-for 可信的地址或 CIDR",
  sign_in: "人们如何进入控制台",
  body_memory_mb: "一个进程的请求体合计可占用的内存（MB），默认 256",
  max_passes: "上游自行运行工具时，一个请求最多按多少轮计费，默认 100",
  hold_calls: "请求未限制工具调用次数时，预留多少次调用的费用，默认 1",
  foreign_ids:
    "请求引用网关未见过签发的供应商 ID 时：refuse 拒绝，allow 放行；默认在多个账户可用该上游时拒绝",
  affinity:
    "如何判断请求属于同一会话（同一会话保持在同一处）：auto 先看客户端给出的名称，再看开头；anchor 只看开头，适用于每次请求都换名称的客户端",
  affinity_header: "客户端用来给出会话名称的请求头，除 x-session-id 和 x-session-affinity 之外",
  queues: "等待的上限：一个账户等待余额的请求数与时间，一个模型等待上游的任务数",
};
