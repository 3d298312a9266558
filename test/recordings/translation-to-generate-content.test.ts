import { crossingLaws } from "./crossing-laws.ts";

crossingLaws("generate-content");
