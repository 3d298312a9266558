import { onePerModule } from "../support/crash-rig.ts";
import { POINTS, taskCrashLaws } from "../support/task-crash.ts";

taskCrashLaws(onePerModule(POINTS));
