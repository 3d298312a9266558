import { overdraftLaws } from "../support/overdraft.ts";

overdraftLaws("one process");
overdraftLaws("--processes 3");
