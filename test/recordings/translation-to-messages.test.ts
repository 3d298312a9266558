import { crossingLaws } from "./crossing-laws.ts";

crossingLaws("messages");
