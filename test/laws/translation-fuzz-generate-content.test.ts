import { fuzzLaws } from "./translation-fuzz.ts";

fuzzLaws("generate-content");
