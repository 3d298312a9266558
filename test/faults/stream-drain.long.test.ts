import { drainLaws } from "../support/drain.ts";

drainLaws(["--processes", "2"]);
