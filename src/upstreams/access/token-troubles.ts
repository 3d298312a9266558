/**
 * Errors of token servers, in lower case, and the operator's remedy. The first match counts. Codes and words have not
 * been checked against the vendors' pages; a wrong row adds no advice, or a needless one, beside the vendor's own
 * words.
 */
const TROUBLES: readonly (readonly [contains: string, advice: string])[] = [
  // Entra ID, whose list is https://learn.microsoft.com/entra/identity-platform/reference-error-codes
  ["aadsts7000215", "Check client_secret: it is the secret's value, not its id."],
  ["aadsts7000222", "Create another client secret."],
  ["aadsts700016", "Check client_id, and that tenant_id is its tenant."],
  ["aadsts90002", "Check tenant_id."],
  ["aadsts900023", "Check tenant_id."],
  ["aadsts700024", "Set this machine's clock."],
  ["aadsts700027", "Upload the certificate to the application."],
  ["aadsts70021", "Check the application's federated credential: issuer, subject and audience."],
  ["aadsts700213", "Check the application's federated credential: issuer, subject and audience."],
  ["aadsts500011", "Check token_scope."],
  ["aadsts70011", "Check token_scope."],
  // A machine's managed identity
  ["identity not found", "Assign the identity to this machine, and check client_id."],
  // Google
  ["token must be a short-lived token", "Set this machine's clock."],
  ["invalid jwt signature", "Create another key: this one was deleted, or its JSON is incomplete."],
  ["account not found", "Check client_email: the service account was deleted."],
  ["iam.serviceaccounts.getaccesstoken", "Give the identity the role Service Account Token Creator."],
  ["audience", "Check audience: it names the provider of the workload identity pool."],
  // AWS STS
  ["signature expired", "Set this machine's clock: it is behind AWS's."],
  ["signature not yet current", "Set this machine's clock: it is ahead of AWS's."],
  ["assumerolewithwebidentity", "Let the role trust the identity's provider and subject."],
  ["sts:assumerole", "Let the role trust the caller, and check external_id."],
  ["accessdenied", "Let the role trust the caller, and check external_id."],
  ["invalididentitytoken", "Check token_file, and that the account knows the token's provider."],
  ["expiredtoken", "Check that token_file is renewed."],
  ["invalidclienttokenid", "Check access_key_id and session_token."],
  ["signaturedoesnotmatch", "Check secret_access_key."],
  ["regiondisabled", "Enable STS in the region, or set another location."],
];

/** undefined = the words are not known. */
export function adviceOn(words: string): string | undefined {
  const said = words.toLowerCase();
  return TROUBLES.find(([contains]) => said.includes(contains))?.[1];
}
