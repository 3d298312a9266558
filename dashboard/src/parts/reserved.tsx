import type { ReactNode } from "react";
import { useReaches } from "../api/session.ts";

interface ReservedProps {
  /** What the operation concerns that the button begins. */
  readonly to: Parameters<typeof useReaches>[0];
  readonly children: ReactNode;
}

/** Shows a button of the operators' pages only to operators whose role permits what it does. */
export function Reserved({ to, children }: ReservedProps): ReactNode {
  return useReaches(to) ? children : null;
}
