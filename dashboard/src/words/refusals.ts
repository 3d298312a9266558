import type { ErrorCode } from "../../../src/errors.ts";
import type { ApiError } from "../api/api-error.ts";
import type { Language } from "./language.ts";

type Refused = Pick<ApiError, "code" | "message" | "param" | "status" | "waitSeconds">;

interface Refusal {
  readonly says: string | ((error: Refused) => string);
  /** The words beside the field at fault, where "this" is its value. */
  readonly beside?: string;
  /** The gateway's own sentence says no more than this. */
  readonly whole?: true;
}

/** Refusals of the pages themselves. */
type OwnCode = "somebody_else";

/**
 * The gateway's refusals in Chinese, by the codes of src/errors.ts: each has its words here, or the types do not fit.
 * English pages show the gateway's sentences, which are English and say more.
 */
const CHINESE: Readonly<Record<ErrorCode | OwnCode, Refusal>> = {
  somebody_else: { says: "其他人已在另一个标签页中登录，未作任何更改。", whole: true },
  not_signed_in: { says: "登录已过期，请重新登录。", whole: true },
  sign_in_failed: { says: "登录未通过。" },
  totp_required: { says: "请输入身份验证器应用的验证码或恢复码。", whole: true },
  address_not_allowed: { says: "不允许从您当前的地址使用。" },
  forbidden: { says: "您无权执行此操作。" },
  csrf_failed: { says: "页面已过期，请刷新后重试。" },
  two_factor_required: { says: "请先设置两步验证。", whole: true },
  sso_required: { says: "此网关已停用密码登录，请使用身份提供商登录。", whole: true },
  password_change_required: { says: "请先设置您自己的密码。", whole: true },
  conflict: { says: "目前无法执行此操作。", beside: "与现有内容冲突。" },
  changed_meanwhile: { says: "内容已被更改，尚未保存。请重新加载后重试。", whole: true },
  too_many_attempts: { says: ({ waitSeconds }) => `尝试次数过多，${waitFor(waitSeconds)}`, whole: true },
  missing_model: { says: "请指定模型。", whole: true },
  invalid_request: { says: invalidField, beside: "此值无效。" },
  invalid_duration: { says: "时长无效。" },
  task_not_exist: { says: "该任务不存在。", whole: true },
  idempotency_conflict: { says: "此幂等键已用于另一个请求，请使用新的幂等键。", whole: true },
  unsupported_endpoint: { says: "该模型不支持此端点。" },
  model_not_found: { says: "该模型不存在，或您无权使用。" },
  not_found: { says: "内容不存在，或不属于您。" },
  receipt_not_found: { says: "收据不存在。", whole: true },
  method_not_allowed: { says: "此地址不支持该操作。" },
  unsupported_media_type: { says: "请求的内容类型不受支持。" },
  request_too_large: { says: "请求内容过大。" },
  request_timeout: { says: "请求发送超时，请重试。" },
  previous_response_not_found: { says: "找不到上一个响应（previous_response_id）。" },
  insufficient_user_quota: { says: "余额或密钥的限额不足以支付此请求。" },
  model_not_priced: { says: "该模型尚未定价，无法调用。" },
  rate_limit_exceeded: { says: ({ waitSeconds }) => `超出速率限制，${waitFor(waitSeconds)}` },
  balance_busy: { says: "余额已被进行中的请求预留，请稍后重试。", whole: true },
  upstream_rate_limited: { says: ({ waitSeconds }) => `上游限制了请求速率，${waitFor(waitSeconds)}` },
  upstream_saturated: { says: ({ waitSeconds }) => `上游已满负荷，${waitFor(waitSeconds)}` },
  upstream_overloaded: { says: "上游过载，请稍后重试。" },
  invalid_url: { says: "地址无效。" },
  invalid_asset_type: { says: "素材类型无效。" },
  invalid_asset_name: { says: "素材名称无效。" },
  seedance_asset_create_failed: { says: "上游未能登记素材。" },
  seedance_asset_get_failed: { says: "无法从上游读取素材。" },
  upstream_error: { says: "上游出错。" },
  upstream_timeout: { says: "上游响应超时。" },
  no_available_upstream: { says: "目前没有可用的上游，请稍后重试。" },
  service_unavailable: { says: "网关目前无法处理，请稍后重试。" },
  internal_error: { says: "网关内部出错。运营者可凭请求 ID 在日志中查到原因。", whole: true },
};

/**
 * A refusal in the language of the page, with the gateway's English sentence where it says more. `beside`: it stands
 * next to the field at fault. A code that is a vendor's own has no words but that sentence.
 */
export function refusalIn(
  language: Language,
  error: Refused,
  { beside = false } = {},
): { readonly words: string; readonly detail: string | undefined } {
  if (language === "en") return { words: error.message, detail: undefined };
  const known = Object.hasOwn(CHINESE, error.code) ? CHINESE[error.code as keyof typeof CHINESE] : UNKNOWN;
  const says = beside ? (known.beside ?? known.says) : known.says;
  return {
    words: typeof says === "string" ? says : says(error),
    detail: known.whole ? undefined : error.message,
  };
}

const UNKNOWN: Refusal = {
  says: ({ status }) => {
    if (status === 0) return "无法连接网关。";
    return status === 200 ? "响应中途出错。" : `请求未成功（HTTP ${status}）。`;
  },
};

function invalidField({ param }: Refused): string {
  return param === "" ? "请求内容无效。" : `字段“${param}”的值无效。`;
}

const MINUTE_S = 60;

function waitFor(seconds: number | undefined): string {
  if (seconds === undefined) return "请稍后重试。";
  if (seconds < MINUTE_S) return `请在 ${seconds} 秒后重试。`;
  return `请在 ${Math.ceil(seconds / MINUTE_S)} 分钟后重试。`;
}
