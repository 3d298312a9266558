import { writeFileSync } from "node:fs";
import { PAGE, pageWithTables } from "./page.ts";

/** `npm run docs:matrix`: writes the tables of docs/translation.md anew. */
writeFileSync(PAGE, pageWithTables());
