import { wordsOf } from "../../words/use-words.ts";

type About = Readonly<Record<string, string>>;

/** What each setting does, with its unit. The page adds the default, so that it is said once. */
export const aboutSettings = wordsOf<About>({
  en: {
    egress_allow:
      "Private addresses that the gateway may fetch for callers, such as images by URL: a CIDR or host:port. Public addresses are always allowed.",
    task_deadline_minutes:
      "How long an image or video task may take, in minutes. A task that isn't finished by then fails and is refunded.",
    usage_retention_days: "Days that requests stay in the usage log. Totals are kept.",
    task_retention_days: "Days that finished tasks and their results are kept; at least 30.",
    count_tokens: "Serves the token counting endpoints, free of charge, 60 times a minute per key.",
    charge_empty_answers: "Charges the input even if the response is empty.",
    keepalive: "How long a streamed response may be silent before a keep-alive is sent, in milliseconds.",
    mirror:
      "Where task results are copied, so that they stay available under permanent links. S3 credentials are read from the environment.",
    metrics_address:
      "host:port that serves /metrics and the health checks. /metrics is then no longer served on the public port.",
    metrics_token:
      "Bearer token with which other machines may read /metrics on the public port. Only its hash is stored.",
    trusted_proxies: "Addresses or CIDRs of proxies whose X-Forwarded-For header is trusted.",
    sign_in: "How users sign in to the dashboard: self-registration and identity providers (OIDC).",
    body_memory_mb: "Memory for request bodies, in MB per process.",
    max_passes: "Most passes that one request is charged for if the vendor runs its tools.",
    hold_calls: "Tool calls that are reserved for a request that sets no limit of its own.",
    unpriced:
      "What happens if a request offers a vendor tool that has no price: refuse = the request is refused, drop = the tool is removed.",
    foreign_ids:
      "What happens if a request names an object of the vendor that wasn't issued to the account through this gateway. By default it is refused if more than one account can use the upstream.",
    affinity:
      "How requests of one conversation are recognized, to keep them at one upstream. auto = by the client's conversation ID, otherwise by how the conversation begins; anchor = only by how it begins, for clients that send a new ID with each request.",
    affinity_header:
      "Another header that carries the client's conversation ID, besides x-session-id and x-session-affinity.",
    queues: "How many requests and tasks may wait, and for how long. Excess requests get 429.",
  },
  zh: {
    egress_allow: "出站请求可以访问的内网地址：CIDR 或 主机:端口",
    task_deadline_minutes: "图片或视频任务的最长时间（分钟）；到期未完成的任务失败并退款",
    usage_retention_days: "用量日志的保留天数",
    task_retention_days: "已结束任务的保留天数，至少 30",
    count_tokens: "提供免费的 token 计数端点，每个密钥每分钟 60 次",
    charge_empty_answers: "响应为空时仍对输入收费",
    keepalive: "流式响应无数据多久后发送保活（毫秒）",
    mirror: "任务结果副本的存储位置，通过稳定链接提供。S3 凭据从环境变量读取",
    metrics_address: "在此 主机:端口 提供 /metrics（主地址不再提供），健康检查也在此提供",
    metrics_token: "供其他机器上的监控从主地址读取 /metrics 的 Bearer 令牌；仅保存哈希",
    trusted_proxies: "可信代理的地址或 CIDR（信任其 x-forwarded-for）",
    sign_in: "控制台的登录方式：自助注册和身份提供方（OIDC）",
    body_memory_mb: "每个进程的请求体可占用的总内存（MB）",
    max_passes: "上游自行运行工具时，一个请求最多按多少轮计费",
    hold_calls: "请求未限制工具调用次数时，预留多少次调用的费用",
    unpriced: "请求提供了没有价格的供应商工具时：refuse 拒绝请求，drop 移除该工具",
    foreign_ids:
      "请求引用未经此网关签发给该账户的供应商 ID 时：refuse 拒绝，allow 放行。默认在多个账户可使用该上游时拒绝",
    affinity:
      "如何识别同一会话的请求（同一会话保持在同一上游）：auto 先按客户端提供的会话 ID，再按会话开头；anchor 只按会话开头，适用于每次请求都更换 ID 的客户端",
    affinity_header: "客户端提供会话 ID 的附加请求头，除 x-session-id 和 x-session-affinity 之外",
    queues: "可以排队的请求和任务的数量与时长；超出的请求返回 429",
  },
});

/** Settings whose default depends on something, which their text says. */
export const SAYS_DEFAULT: ReadonlySet<string> = new Set(["foreign_ids"]);

/** The parts of settings that are several numbers. */
export const aboutParts = wordsOf<About>({
  en: {
    image: "Images, minutes",
    video: "Videos, minutes",
    first_ms: "Before the first event, ms",
    between_ms: "Between events, ms",
    balance_waiting: "Requests of an account waiting for balance",
    balance_wait_ms: "Longest wait for balance, ms",
    tasks_per_model: "Tasks of a model waiting for an upstream",
  },
  zh: {
    image: "图片（分钟）",
    video: "视频（分钟）",
    first_ms: "首个事件之前（毫秒）",
    between_ms: "事件之间（毫秒）",
    balance_waiting: "每个账户等待余额的请求数",
    balance_wait_ms: "等待余额的最长时间（毫秒）",
    tasks_per_model: "每个模型等待上游的任务数",
  },
});
