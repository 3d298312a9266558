import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { API_TYPES, apiTypes } from "./api-types.ts";

/** `npm run docs:api`: writes the types of the dashboard's calls anew, from the description of the API. */
mkdirSync(dirname(API_TYPES), { recursive: true });
writeFileSync(API_TYPES, await apiTypes());
