import { crossingLaws } from "./crossing-laws.ts";

crossingLaws("responses");
