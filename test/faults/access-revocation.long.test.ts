import { revocationLaws } from "../support/revocation.ts";

revocationLaws({ lost: true });
