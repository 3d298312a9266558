import type { Language, Words } from "./message.ts";

/** What an invitation's e-mail says of it. */
export interface InvitationFacts {
  /** E-mail address. */
  readonly invitedBy: string;
  /** Null = as operator only. */
  readonly account: string | null;
  readonly link: string;
}

export function invitationWords(
  { invitedBy, account, link: url }: InvitationFacts,
  language: Language,
): Words {
  if (language === "zh") {
    const lines = [
      account === null
        ? `${invitedBy} 邀请您成为此网关的运营者。`
        : `${invitedBy} 邀请您加入账户“${account}”。`,
      "此链接在七天内有效，只能使用一次。如果您不认识发件人，请忽略此邮件。",
    ];
    return { subject: "您已受邀加入 Faregate", lines, link: { label: "接受邀请", url } };
  }
  const lines = [
    account === null
      ? `${invitedBy} has invited you to operate this gateway.`
      : `${invitedBy} has invited you to the account "${account}".`,
    "The link works once, within seven days. If you don't know the sender, ignore this e-mail.",
  ];
  return { subject: "You've been invited to Faregate", lines, link: { label: "Accept the invitation", url } };
}

export function resetWords(url: string, language: Language): Words {
  if (language === "zh") {
    const lines = [
      "有人请求重置您的 Faregate 密码。",
      "此链接在一小时内有效，只能使用一次。如果不是您本人请求，请忽略此邮件，您的密码不会改变。",
    ];
    return { subject: "重置密码", lines, link: { label: "设置新密码", url } };
  }
  const lines = [
    "Somebody asked to reset your Faregate password.",
    "The link works once, within an hour. If it wasn't you, ignore this e-mail: your password stays as it is.",
  ];
  return { subject: "Reset your password", lines, link: { label: "Choose a new password", url } };
}
