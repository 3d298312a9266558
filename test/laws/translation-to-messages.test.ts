import { crossingLaws } from "./translation-recordings.ts";

crossingLaws("messages");
