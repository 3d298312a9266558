import { crossingLaws } from "./translation-recordings.ts";

crossingLaws("chat-completions");
