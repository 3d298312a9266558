import { rotateMasterKey } from "../../accounts/master-key-rotation.ts";
import { counted } from "../../base/text.ts";
import { insertAudit } from "../../users/audit-store.ts";
import { commandOrigin } from "../audit.ts";
import type { Command } from "../command.ts";
import { withDatabase } from "../open.ts";

/** Seals every secret anew while gateways run: they learn the new key before it is used. */
export const rotateMasterKeyCommand: Command = {
  name: "rotate-master-key",
  summary: "re-encrypt every secret under a new master key, while gateways run",
  positionals: [],
  options: {},
  examples: [
    "faregate rotate-master-key",
    "FAREGATE_MASTER_KEY=old FAREGATE_NEW_MASTER_KEY=new faregate rotate-master-key   # then set FAREGATE_MASTER_KEY=new everywhere",
  ],
  run: ({ config }) =>
    withDatabase(config, "rotate-master-key", async ({ database }) => {
      console.log("Announcing the new key to running gateways ...");
      const sealed = await rotateMasterKey({
        database,
        dataDir: config.dataDir,
        configured: config.masterKey,
        newKey: config.newMasterKey,
        trace: (tx, secrets) =>
          insertAudit(tx, {
            action: "master_key.rotate",
            subject: "master key",
            after: { secrets },
            ...commandOrigin(),
          }),
      });
      console.log(`Encrypted ${counted(sealed, "secret")} with the new master key.`);
      if (config.masterKey !== undefined)
        console.log("Set FAREGATE_MASTER_KEY to the new key on every gateway before its next start.");
      return 0;
    }),
};
