import { openKeyHasher } from "../../accounts/key-hasher.ts";
import { openSeals } from "../../accounts/master-key.ts";
import { resetAccess } from "../../users/sign-in/reset-access.ts";
import { commandOrigin } from "../audit.ts";
import { type Command, CommandFailure } from "../command.ts";
import { withDatabase } from "../open.ts";

/** Lets somebody in again who lost their password or codes, where no operator can do it from the dashboard. */
export const passwordCommand: Command = {
  name: "password",
  summary: "reset a user's password (printed once) and disable two-factor authentication",
  positionals: ["EMAIL"],
  options: {},
  examples: ["faregate password admin@localhost"],
  async run({ config, positionals }) {
    const [email = ""] = positionals;
    return withDatabase(config, "password", async ({ database }) => {
      const seals = await openSeals({ dataDir: config.dataDir, configured: config.masterKey, database });
      const hasher = await openKeyHasher(database, seals);
      const password = await resetAccess(database, hasher, email.toLowerCase(), commandOrigin());
      if (password === undefined) throw new CommandFailure(`there is no user "${email}"`);
      console.log(password);
      return 0;
    });
  },
};
