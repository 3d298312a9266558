import { fuzzLaws } from "./translation-fuzz.ts";

fuzzLaws("messages");
