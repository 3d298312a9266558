import { POINTS, taskCrashLaws } from "../support/task-crash.ts";

taskCrashLaws(POINTS);
