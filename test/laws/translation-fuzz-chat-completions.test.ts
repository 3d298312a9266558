import { fuzzLaws } from "./translation-fuzz.ts";

fuzzLaws("chat-completions");
