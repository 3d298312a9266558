import type { Kinds } from "../../../../src/console/upstreams/contract.ts";
import { useWords, wordsOf } from "../../words/use-words.ts";

interface Word {
  readonly title: string;
  /** "" = the title says it. */
  readonly help: string;
}

interface CredentialWords {
  /** By the form's name, as the console has it. */
  readonly forms: Readonly<Record<string, string>>;
  /** By the field's name; before it the form's `from` where the field means something else there. */
  readonly fields: Readonly<Record<string, Word>>;
}

/** How the forms of clouds' credentials and their fields are called, in the vendors' own terms. */
export const credentialWords = wordsOf<CredentialWords>({
  en: {
    forms: {
      key: "API key",
      "client secret of Entra ID": "Entra ID application with a client secret",
      "certificate of Entra ID": "Entra ID application with a certificate",
      "workload identity": "Workload identity (Kubernetes)",
      "managed identity": "Managed identity",
      environment: "Environment variables",
      "service account": "Service account key",
      "workload identity federation": "Workload identity federation",
      "metadata server": "Metadata server (Compute Engine, GKE, Cloud Run)",
      "Bedrock API key": "Bedrock API key",
      "access key": "Access key",
      "web identity": "Web identity (EKS, OIDC)",
      container: "Container role (ECS, EKS Pod Identity)",
      instance: "Instance role (EC2)",
      profile: "Profile in the AWS config files",
    },
    fields: {
      api_key: { title: "API key", help: "" },
      tenant_id: { title: "Tenant ID", help: "Directory (tenant) ID of the application." },
      client_id: { title: "Client ID", help: "Application (client) ID." },
      client_secret: { title: "Client secret", help: "The secret's value, not its ID." },
      certificate: { title: "Certificate", help: "Certificate and private key as PEM." },
      "workload-identity tenant_id": { title: "Tenant ID", help: "Leave empty for AZURE_TENANT_ID." },
      "workload-identity client_id": { title: "Client ID", help: "Leave empty for AZURE_CLIENT_ID." },
      "workload-identity token_file": {
        title: "Token file",
        help: "Leave empty for AZURE_FEDERATED_TOKEN_FILE.",
      },
      "managed-identity client_id": {
        title: "Client ID",
        help: "Client ID of a user-assigned identity. Leave empty for the machine's own identity.",
      },
      service_account: { title: "Key file", help: "Paste the whole JSON file of the service account." },
      external_account: {
        title: "Configuration file",
        help: "Paste the whole JSON file of the workload identity federation.",
      },
      access_key_id: { title: "Access key ID", help: "" },
      secret_access_key: { title: "Secret access key", help: "" },
      session_token: { title: "Session token", help: "Only for temporary keys." },
      role_arn: { title: "Role ARN", help: "Role to assume. Optional." },
      external_id: { title: "External ID", help: "If the role's trust policy requires one." },
      session_name: { title: "Session name", help: "Shown in the logs of AWS. Optional." },
      "web-identity role_arn": { title: "Role ARN", help: "Leave empty for AWS_ROLE_ARN." },
      "web-identity token_file": {
        title: "Token file",
        help: "Leave empty for AWS_WEB_IDENTITY_TOKEN_FILE.",
      },
      profile: { title: "Profile name", help: "Leave empty for AWS_PROFILE, otherwise default." },
    },
  },
  zh: {
    forms: {
      key: "API 密钥",
      "client secret of Entra ID": "Entra ID 应用（客户端密钥）",
      "certificate of Entra ID": "Entra ID 应用（证书）",
      "workload identity": "工作负载标识（Kubernetes）",
      "managed identity": "托管标识",
      environment: "环境变量",
      "service account": "服务账号密钥",
      "workload identity federation": "工作负载身份联合",
      "metadata server": "元数据服务器（Compute Engine、GKE、Cloud Run）",
      "Bedrock API key": "Bedrock API 密钥",
      "access key": "访问密钥",
      "web identity": "Web 身份（EKS、OIDC）",
      container: "容器角色（ECS、EKS Pod Identity）",
      instance: "实例角色（EC2）",
      profile: "AWS 配置文件中的 profile",
    },
    fields: {
      api_key: { title: "API 密钥", help: "" },
      tenant_id: { title: "租户 ID", help: "应用的目录（租户）ID。" },
      client_id: { title: "客户端 ID", help: "应用程序（客户端）ID。" },
      client_secret: { title: "客户端密钥", help: "填写密钥的值，而非其 ID。" },
      certificate: { title: "证书", help: "PEM 格式的证书和私钥。" },
      "workload-identity tenant_id": { title: "租户 ID", help: "留空则使用 AZURE_TENANT_ID。" },
      "workload-identity client_id": { title: "客户端 ID", help: "留空则使用 AZURE_CLIENT_ID。" },
      "workload-identity token_file": {
        title: "令牌文件",
        help: "留空则使用 AZURE_FEDERATED_TOKEN_FILE。",
      },
      "managed-identity client_id": {
        title: "客户端 ID",
        help: "用户分配的标识的客户端 ID。留空则使用该机器自身的标识。",
      },
      service_account: { title: "密钥文件", help: "粘贴服务账号的完整 JSON 文件。" },
      external_account: { title: "配置文件", help: "粘贴工作负载身份联合的完整 JSON 文件。" },
      access_key_id: { title: "访问密钥 ID", help: "" },
      secret_access_key: { title: "私有访问密钥", help: "" },
      session_token: { title: "会话令牌", help: "仅用于临时密钥。" },
      role_arn: { title: "角色 ARN", help: "要代入的角色。可选。" },
      external_id: { title: "外部 ID", help: "角色的信任策略要求时填写。" },
      session_name: { title: "会话名称", help: "显示在 AWS 的日志中。可选。" },
      "web-identity role_arn": { title: "角色 ARN", help: "留空则使用 AWS_ROLE_ARN。" },
      "web-identity token_file": { title: "令牌文件", help: "留空则使用 AWS_WEB_IDENTITY_TOKEN_FILE。" },
      profile: { title: "profile 名称", help: "留空则使用 AWS_PROFILE，否则为 default。" },
    },
  },
});

type Form = Kinds["data"][number]["credential_forms"][number];

/** Names a form of credentials, and its fields. */
export function useCredentialWords() {
  const words = useWords(credentialWords);
  return {
    formName: (name: string): string => words.forms[name] ?? name,
    fieldWord: (
      { from }: Pick<Form, "from">,
      { name, about }: Pick<Form["fields"][number], "name" | "about">,
    ) => fieldWordIn(words, from, name) ?? { title: name, help: about },
  };
}

export function fieldWordIn(
  { fields }: CredentialWords,
  from: string | null,
  name: string,
): Word | undefined {
  return fields[`${from} ${name}`] ?? fields[name];
}
