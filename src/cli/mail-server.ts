import type { Catalog } from "../catalog/catalog.ts";
import type { Config } from "../config.ts";
import { createMailer } from "../mail/mailer.ts";

/** What keeps the mail server from accepting e-mail; "" = nothing, undefined = none is set. */
export async function mailProblem(
  { settings: { smtp } }: Catalog,
  { environment }: Config,
): Promise<string | undefined> {
  if (smtp === null) return undefined;
  const problem = await createMailer({ smtp: () => smtp, environment }).check();
  if (problem === undefined) return "";
  return problem.detail === problem.failure ? problem.failure : `${problem.failure} (${problem.detail})`;
}
