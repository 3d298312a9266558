import { crossingLaws } from "./translation-recordings.ts";

crossingLaws("generate-content");
