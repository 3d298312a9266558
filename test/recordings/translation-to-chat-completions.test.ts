import { crossingLaws } from "./crossing-laws.ts";

crossingLaws("chat-completions");
