import { wordsOf } from "../../words/use-words.ts";

interface About {
  readonly title: string;
  /** What it does, with its unit; "" = the title says it. The page adds the default, so that it is said once. */
  readonly help: string;
}

type AboutAll = Readonly<Record<string, About>>;

export const aboutSettings = wordsOf<AboutAll>({
  en: {
    egress_allow: {
      title: "Private addresses to fetch from",
      help: "Private addresses that the gateway may fetch for callers, such as images by URL: a CIDR or host:port. Public addresses are always allowed.",
    },
    task_deadline_minutes: {
      title: "Task deadline",
      help: "Unfinished image and video tasks fail and are refunded after this time.",
    },
    usage_retention_days: {
      title: "Usage log retention",
      help: "Days that requests stay in the usage log. Totals are kept.",
    },
    refusal_retention_days: {
      title: "Failed requests kept",
      help: "Days that refused and failed requests are kept with their attempts. Their counts are kept as long as the usage log.",
    },
    task_retention_days: {
      title: "Task retention",
      help: "Days that finished tasks and their results are kept; at least 30.",
    },
    count_tokens: {
      title: "Token counting",
      help: "Serves the token counting endpoints, free of charge, 60 times a minute per key.",
    },
    charge_empty_answers: {
      title: "Charge for empty responses",
      help: "Charges the input even if the response is empty.",
    },
    keepalive: {
      title: "Keep-alives",
      help: "How long a streamed response may be silent before a keep-alive is sent.",
    },
    mirror: {
      title: "Copies of task results",
      help: "Copies stay available under permanent links after the vendor has deleted the originals.",
    },
    metrics_address: {
      title: "Metrics address",
      help: "host:port that serves /metrics and the health checks. /metrics is then no longer served on the public port.",
    },
    metrics_token: {
      title: "Metrics token",
      help: "Bearer token with which other machines may read /metrics on the public port. Only its hash is stored.",
    },
    trusted_proxies: {
      title: "Trusted proxies",
      help: "Addresses or CIDRs of proxies whose X-Forwarded-For header is trusted.",
    },
    sign_in: { title: "Sign-in", help: "How users sign in to the dashboard." },
    smtp: {
      title: "Mail server (SMTP)",
      help: "Sends alerts, invitations and password resets. The password is read from the environment. Send a test on the System tab.",
    },
    body_memory_mb: {
      title: "Request body memory",
      help: "Memory for request bodies, in MB per process.",
    },
    max_passes: {
      title: "Charged passes per request",
      help: "Most passes that one request is charged for if the vendor runs its tools.",
    },
    hold_calls: {
      title: "Reserved tool calls",
      help: "Tool calls that are reserved for a request that sets no limit of its own.",
    },
    unpriced: {
      title: "Vendor tools without a price",
      help: "Applies to requests that offer a vendor tool the model has no price for.",
    },
    foreign_ids: {
      title: "Vendor IDs of unknown origin",
      help: "Applies to requests that name a vendor object not issued to the account through this gateway. By default they are refused if more than one account can use the upstream.",
    },
    affinity: {
      title: "Conversation affinity",
      help: "Requests of one conversation are kept at one upstream, where their prompt cache is.",
    },
    affinity_header: {
      title: "Conversation ID header",
      help: "An additional header with the client's conversation ID. x-session-id and x-session-affinity are always read.",
    },
    queues: {
      title: "Queues",
      help: "How many requests and tasks may wait, and for how long. Excess requests get 429.",
    },
  },
  zh: {
    egress_allow: {
      title: "允许抓取的内网地址",
      help: "网关可代调用方抓取（例如按 URL 获取图片）的内网地址：CIDR 或 主机:端口。公网地址始终允许。",
    },
    task_deadline_minutes: { title: "任务截止时间", help: "到期未完成的图片和视频任务将失败并退款。" },
    usage_retention_days: { title: "用量日志保留", help: "用量日志中请求的保留天数。汇总数据始终保留。" },
    refusal_retention_days: {
      title: "失败请求保留",
      help: "被拒绝和失败的请求及其各次尝试的保留天数。计数与用量日志保留同样长。",
    },
    task_retention_days: { title: "任务保留", help: "已结束任务及其结果的保留天数，至少 30。" },
    count_tokens: { title: "token 计数", help: "提供免费的 token 计数端点，每个密钥每分钟 60 次。" },
    charge_empty_answers: { title: "对空响应收费", help: "响应为空时仍对输入收费。" },
    keepalive: { title: "保活", help: "流式响应无数据多久后发送保活。" },
    mirror: { title: "任务结果副本", help: "供应商删除原件后，副本仍可通过永久链接访问。" },
    metrics_address: {
      title: "指标地址",
      help: "提供 /metrics 和健康检查的 主机:端口。设置后，公开端口不再提供 /metrics。",
    },
    metrics_token: {
      title: "指标令牌",
      help: "其他机器从公开端口读取 /metrics 所用的 Bearer 令牌。仅保存其哈希。",
    },
    trusted_proxies: { title: "可信代理", help: "可信任其 X-Forwarded-For 请求头的代理的地址或 CIDR。" },
    sign_in: { title: "登录", help: "用户登录控制台的方式。" },
    smtp: {
      title: "邮件服务器（SMTP）",
      help: "用于发送提醒、邀请和密码重置。密码从环境变量读取。可在“系统”标签页发送测试。",
    },
    body_memory_mb: { title: "请求体内存", help: "每个进程的请求体可占用的内存（MB）。" },
    max_passes: { title: "每个请求的计费轮数", help: "供应商自行运行工具时，一个请求最多按多少轮计费。" },
    hold_calls: { title: "预留的工具调用", help: "请求未自行限制时，预留多少次工具调用的费用。" },
    unpriced: { title: "没有价格的供应商工具", help: "适用于提供了模型没有价格的供应商工具的请求。" },
    foreign_ids: {
      title: "来源未知的供应商 ID",
      help: "适用于引用未经此网关签发给该账户的供应商对象的请求。默认情况下，多个账户可使用该上游时拒绝。",
    },
    affinity: { title: "会话亲和", help: "同一会话的请求保持在同一上游，以便使用其提示词缓存。" },
    affinity_header: {
      title: "会话 ID 请求头",
      help: "提供客户端会话 ID 的附加请求头。x-session-id 和 x-session-affinity 始终读取。",
    },
    queues: { title: "队列", help: "可以等待的请求和任务的数量与时长。超出的请求返回 429。" },
  },
});

/** The parts of settings, by their path. */
export const aboutParts = wordsOf<AboutAll>({
  en: {
    "task_deadline_minutes.image": { title: "Images, minutes", help: "" },
    "task_deadline_minutes.video": { title: "Videos, minutes", help: "" },
    "keepalive.first_ms": { title: "Before the first event, ms", help: "" },
    "keepalive.between_ms": { title: "Between events, ms", help: "" },
    "queues.balance_waiting": { title: "Requests of an account waiting for balance", help: "" },
    "queues.balance_wait_ms": { title: "Longest wait for balance, ms", help: "" },
    "queues.tasks_per_model": { title: "Tasks of a model waiting for an upstream", help: "" },
    "mirror.kind": { title: "Storage", help: "" },
    "mirror.endpoint": {
      title: "Endpoint",
      help: "URL of the service, without the bucket. The access key is read from the environment.",
    },
    "mirror.region": { title: "Region", help: "Leave empty for us-east-1." },
    "mirror.bucket": { title: "Bucket", help: "" },
    "mirror.prefix": { title: "Prefix", help: "Folders that end with a slash, such as faregate/. Optional." },
    "smtp.host": {
      title: "Host",
      help: "Host name or address, without a port. May be in a private network.",
    },
    "smtp.port": { title: "Port", help: "Leave empty for 587, 465 or 25, depending on the encryption." },
    "smtp.tls": { title: "Encryption", help: "" },
    "smtp.user": { title: "User name", help: "Leave empty if the server asks for none." },
    "smtp.password_env": {
      title: "Variable with the password",
      help: "Environment variable whose name ends with SMTP_PASSWORD. Leave empty for FAREGATE_SMTP_PASSWORD.",
    },
    "smtp.from": { title: "Sender address", help: "" },
    "smtp.from_name": { title: "Sender name", help: "Leave empty for Faregate." },
    "smtp.timeout_ms": {
      title: "Time limit, ms",
      help: "Longest time for one email. Leave empty for 15000.",
    },
    "sign_in.self_registration": {
      title: "Self-registration",
      help: "Anyone can sign up and gets their own account in the default group, with a zero balance.",
    },
    "sign_in.oidc": {
      title: "Identity providers (OIDC)",
      help: "Each has its own button on the sign-in page.",
    },
    "sign_in.oidc.id": {
      title: "ID",
      help: "Lower-case letters, digits and dashes. Part of the redirect URL; don't change it later.",
    },
    "sign_in.oidc.name": { title: "Name", help: "Label of the button." },
    "sign_in.oidc.issuer": {
      title: "Issuer URL",
      help: "The configuration is read from /.well-known/openid-configuration below it.",
    },
    "sign_in.oidc.client_id": { title: "Client ID", help: "Issued by the provider for this gateway." },
    "sign_in.oidc.client_secret_env": {
      title: "Variable with the client secret",
      help: "Environment variable whose name ends with OIDC_CLIENT_SECRET. Leave empty for FAREGATE_OIDC_CLIENT_SECRET.",
    },
    "sign_in.oidc.scopes": {
      title: "Further scopes",
      help: "Asked for in addition to openid, email and profile. Some providers need groups.",
    },
    "sign_in.oidc.groups_claim": {
      title: "Groups claim",
      help: "Claim of the ID token that lists the user's groups. Leave empty for groups.",
    },
    "sign_in.oidc.domains": {
      title: "Accounts by domain",
      help: "Users with a verified email address at the domain join the account at each sign-in.",
    },
    "sign_in.oidc.domains.domain": { title: "Domain", help: "Without its subdomains, e.g. example.com." },
    "sign_in.oidc.domains.account": { title: "Account", help: "" },
    "sign_in.oidc.domains.role": { title: "Role", help: "" },
    "sign_in.oidc.groups": {
      title: "Roles by group",
      help: "Read at each sign-in: a user who has left a group loses its role. Roles given by hand stay.",
    },
    "sign_in.oidc.groups.group": { title: "Group", help: "As the provider spells it." },
    "sign_in.oidc.groups.account": { title: "Account", help: "Leave empty for a role of operators." },
    "sign_in.oidc.groups.role": { title: "Role in the account", help: "" },
    "sign_in.oidc.groups.operator_role": { title: "Operator role", help: "In place of an account." },
    "sign_in.require_sso": {
      title: "Require an identity provider",
      help: "Passwords are refused and sessions that began with one end. Sign in with a provider before turning this on.",
    },
    "sign_in.require_two_factor": {
      title: "Require two-factor authentication",
      help: "Users without it set it up before anything else. An identity provider's counts.",
    },
    "sign_in.require_two_factor.operators": { title: "Of operators", help: "" },
    "sign_in.require_two_factor.accounts": { title: "Of members of these accounts", help: "" },
    "sign_in.operator_addresses": {
      title: "Operators' addresses",
      help: "IP addresses or CIDR ranges from which operators may sign in and use console tokens; yours must be one. Leave empty to allow any.",
    },
  },
  zh: {
    "task_deadline_minutes.image": { title: "图片（分钟）", help: "" },
    "task_deadline_minutes.video": { title: "视频（分钟）", help: "" },
    "keepalive.first_ms": { title: "首个事件之前（毫秒）", help: "" },
    "keepalive.between_ms": { title: "事件之间（毫秒）", help: "" },
    "queues.balance_waiting": { title: "每个账户等待余额的请求数", help: "" },
    "queues.balance_wait_ms": { title: "等待余额的最长时间（毫秒）", help: "" },
    "queues.tasks_per_model": { title: "每个模型等待上游的任务数", help: "" },
    "mirror.kind": { title: "存储", help: "" },
    "mirror.endpoint": { title: "端点", help: "服务的 URL，不含存储桶。访问密钥从环境变量读取。" },
    "mirror.region": { title: "区域", help: "留空则为 us-east-1。" },
    "mirror.bucket": { title: "存储桶", help: "" },
    "mirror.prefix": { title: "前缀", help: "以斜杠结尾的文件夹，例如 faregate/。可选。" },
    "smtp.host": { title: "主机", help: "主机名或地址，不含端口。可以在内网中。" },
    "smtp.port": { title: "端口", help: "留空则按加密方式为 587、465 或 25。" },
    "smtp.tls": { title: "加密", help: "" },
    "smtp.user": { title: "用户名", help: "服务器无需登录时留空。" },
    "smtp.password_env": {
      title: "密码的环境变量",
      help: "名称以 SMTP_PASSWORD 结尾的环境变量。留空则为 FAREGATE_SMTP_PASSWORD。",
    },
    "smtp.from": { title: "发件人地址", help: "" },
    "smtp.from_name": { title: "发件人名称", help: "留空则为 Faregate。" },
    "smtp.timeout_ms": { title: "时限（毫秒）", help: "发送一封邮件的最长时间。留空则为 15000。" },
    "sign_in.self_registration": {
      title: "自助注册",
      help: "任何人都可以注册，并获得默认分组中余额为零的自有账户。",
    },
    "sign_in.oidc": { title: "身份提供商（OIDC）", help: "每个身份提供商在登录页面上有一个按钮。" },
    "sign_in.oidc.id": {
      title: "标识",
      help: "小写字母、数字和连字符。它是重定向 URL 的一部分，之后请勿更改。",
    },
    "sign_in.oidc.name": { title: "名称", help: "按钮上的文字。" },
    "sign_in.oidc.issuer": {
      title: "签发者 URL",
      help: "从其下的 /.well-known/openid-configuration 读取配置。",
    },
    "sign_in.oidc.client_id": { title: "客户端 ID", help: "由身份提供商为此网关签发。" },
    "sign_in.oidc.client_secret_env": {
      title: "客户端密钥的环境变量",
      help: "名称以 OIDC_CLIENT_SECRET 结尾的环境变量。留空则为 FAREGATE_OIDC_CLIENT_SECRET。",
    },
    "sign_in.oidc.scopes": {
      title: "其他 scope",
      help: "除 openid、email 和 profile 之外请求的 scope。某些身份提供商需要 groups。",
    },
    "sign_in.oidc.groups_claim": {
      title: "组声明",
      help: "ID token 中列出用户所属组的声明。留空则为 groups。",
    },
    "sign_in.oidc.domains": {
      title: "按域名加入账户",
      help: "邮箱已验证且属于该域名的用户，每次登录时加入该账户。",
    },
    "sign_in.oidc.domains.domain": { title: "域名", help: "不含子域名，例如 example.com。" },
    "sign_in.oidc.domains.account": { title: "账户", help: "" },
    "sign_in.oidc.domains.role": { title: "角色", help: "" },
    "sign_in.oidc.groups": {
      title: "按组分配角色",
      help: "每次登录时读取：离开某个组的用户会失去对应的角色。手动授予的角色保留不变。",
    },
    "sign_in.oidc.groups.group": { title: "组", help: "与身份提供商中的写法一致。" },
    "sign_in.oidc.groups.account": { title: "账户", help: "留空表示授予运营者角色。" },
    "sign_in.oidc.groups.role": { title: "账户中的角色", help: "" },
    "sign_in.oidc.groups.operator_role": { title: "运营者角色", help: "用于代替账户。" },
    "sign_in.require_sso": {
      title: "必须使用身份提供商",
      help: "拒绝密码登录，并结束以密码开始的会话。开启前请先使用身份提供商登录。",
    },
    "sign_in.require_two_factor": {
      title: "必须使用两步验证",
      help: "未设置的用户须先设置才能进行其他操作。身份提供商的两步验证也算。",
    },
    "sign_in.require_two_factor.operators": { title: "运营者", help: "" },
    "sign_in.require_two_factor.accounts": { title: "以下账户的成员", help: "" },
    "sign_in.operator_addresses": {
      title: "运营者的地址",
      help: "运营者可以登录和使用控制台令牌的 IP 地址或 CIDR 范围，须包含您自己的地址。留空表示不限制。",
    },
  },
});

/** The values that settings choose from, by path and value. */
export const choiceWords = wordsOf<Readonly<Record<string, string>>>({
  en: {
    "unpriced.refuse": "Refuse the request",
    "unpriced.drop": "Remove the tool from the request",
    "foreign_ids.refuse": "Refuse the request",
    "foreign_ids.allow": "Pass them on",
    "affinity.auto": "By the client's conversation ID, otherwise by how it begins",
    "affinity.anchor": "Only by how it begins, for clients that send a new ID with each request",
    "smtp.tls.starttls": "STARTTLS after connecting",
    "smtp.tls.implicit": "TLS from the start",
    "smtp.tls.none": "None",
    "sign_in.oidc.domains.role.viewer": "Viewer",
    "sign_in.oidc.domains.role.member": "Member",
    "sign_in.oidc.domains.role.owner": "Owner",
    "sign_in.oidc.groups.role.viewer": "Viewer",
    "sign_in.oidc.groups.role.member": "Member",
    "sign_in.oidc.groups.role.owner": "Owner",
    "sign_in.oidc.groups.operator_role.read_only": "Read-only operator",
    "sign_in.oidc.groups.operator_role.billing": "Billing operator",
    "sign_in.oidc.groups.operator_role.operator": "Operator",
    "mirror.kind.none": "No copies",
    "mirror.kind.disk": "The gateway's data folder",
    "mirror.kind.s3": "S3 or a compatible service",
  },
  zh: {
    "unpriced.refuse": "拒绝请求",
    "unpriced.drop": "从请求中移除该工具",
    "foreign_ids.refuse": "拒绝请求",
    "foreign_ids.allow": "放行",
    "affinity.auto": "按客户端的会话 ID，否则按会话开头",
    "affinity.anchor": "仅按会话开头，适用于每次请求都更换 ID 的客户端",
    "smtp.tls.starttls": "连接后使用 STARTTLS",
    "smtp.tls.implicit": "从一开始使用 TLS",
    "smtp.tls.none": "不加密",
    "sign_in.oidc.domains.role.viewer": "查看者",
    "sign_in.oidc.domains.role.member": "成员",
    "sign_in.oidc.domains.role.owner": "所有者",
    "sign_in.oidc.groups.role.viewer": "查看者",
    "sign_in.oidc.groups.role.member": "成员",
    "sign_in.oidc.groups.role.owner": "所有者",
    "sign_in.oidc.groups.operator_role.read_only": "只读运营者",
    "sign_in.oidc.groups.operator_role.billing": "计费运营者",
    "sign_in.oidc.groups.operator_role.operator": "运营者",
    "mirror.kind.none": "不保存副本",
    "mirror.kind.disk": "网关的数据文件夹",
    "mirror.kind.s3": "S3 或兼容服务",
  },
});
