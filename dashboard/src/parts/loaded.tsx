import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Failure } from "./failure.tsx";
import { Skeleton } from "./skeleton.tsx";

interface LoadedProps<Answer> {
  readonly query: UseQueryResult<Answer>;
  readonly skeleton?: ReactNode;
  readonly children: (answer: Answer) => ReactNode;
}

/** The data of a read, its skeleton, or its error: `<Loaded query={useRead(path)}>{(x) => …}</Loaded>`. */
export function Loaded<Answer>({ query, skeleton, children }: LoadedProps<Answer>): ReactNode {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return skeleton ?? <Skeleton />;
}
