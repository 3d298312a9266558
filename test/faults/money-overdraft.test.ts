import { overdraftLaws } from "../support/overdraft.ts";

// The setup that shares most: the long lane has the others.
overdraftLaws("three gateways");
