/** What each setting is, where the page does not speak the English of the catalog file's schema. */
export const ABOUT_ZH: Readonly<Record<string, string>> = {
  egress_allow: "出站请求可以访问的内网地址：CIDR 或 主机:端口",
  task_deadline_minutes: "已接受任务的最长时间（分钟）；到期后任务完成，或失败并退款",
  usage_retention_days: "用量日志的保留天数",
  task_retention_days: "已结束任务的保留天数，至少 30",
  count_tokens: "提供免费的 token 计数端点，每个密钥每分钟 60 次",
  charge_empty_answers: "响应为空时仍对输入收费",
  keepalive: "流式响应的保活间隔（毫秒）：首个事件之前，以及之后",
  mirror: "任务结果副本的存储位置，通过稳定链接提供",
  metrics_address: "在此 主机:端口 提供 /metrics（主地址不再提供），健康检查也在此提供",
  metrics_token: "供其他机器上的监控从主地址读取 /metrics 的 Bearer 令牌；仅保存哈希",
  trusted_proxies: "可信代理的地址或 CIDR（信任其 x-forwarded-for）",
  sign_in: "控制台的登录方式",
  body_memory_mb: "每个进程的请求体可占用的总内存（MB），默认 256",
  max_passes: "上游自行运行工具时，一个请求最多按多少轮计费，默认 100",
  hold_calls: "请求未限制工具调用次数时，预留多少次调用的费用，默认 1",
  unpriced: "请求提供了没有价格的供应商工具时：refuse 拒绝请求，drop 移除该工具；默认 refuse",
  foreign_ids:
    "请求引用未经此网关签发给该账户的供应商 ID 时：refuse 拒绝，allow 放行；默认在多个账户可使用该上游时拒绝",
  affinity:
    "如何识别同一会话的请求（同一会话保持在同一上游）：auto 先按客户端提供的会话 ID，再按会话开头；anchor 只按会话开头，适用于每次请求都更换 ID 的客户端",
  affinity_header: "客户端提供会话 ID 的附加请求头，除 x-session-id 和 x-session-affinity 之外",
  queues: "排队上限：每个账户等待余额的请求数与时长，每个模型等待上游的任务数",
};
