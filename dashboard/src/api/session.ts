import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { SessionResponse } from "../../../src/console/session/contract.ts";
import { ApiError } from "./api-error.ts";
import { read } from "./client.ts";
import { useRead } from "./use-read.ts";

/** The signed-in user, and the token that their changes are sent with; null: nobody. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: () =>
    read("/session").catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }),
  staleTime: 60_000,
});

/** The signed-in user. Only for pages within the shell, which nobody sees without signing in. */
export function useSession(): SessionResponse {
  const { data } = useSuspenseQuery(sessionQuery);
  if (data === null) throw new Error("nobody is signed in");
  return data;
}

/** True if the signed-in operator's role permits changes of this kind; the gateway refuses what the role does not permit. */
export function useReaches(kind: "billing" | "all"): boolean {
  const { operator_role: role } = useSession().user;
  return role === "operator" || (role === "billing" && kind === "billing");
}

export type AccountRole = SessionResponse["accounts"][number]["role"];

/** The account of the path, and what the person may do in it; an operator of the highest role may do what its owner may. */
export function useAccount(): {
  readonly id: string;
  readonly name: string;
  readonly role: AccountRole;
  readonly suspended: boolean;
} {
  const session = useSession();
  const { account: id = "" } = useParams({ strict: false }) as { account?: string };
  const { name, suspended } = useAccountFacts(id);
  const own = session.accounts.find((account) => account.id === id);
  const role = session.user.operator_role === "operator" ? "owner" : (own?.role ?? "viewer");
  return { id, name, role, suspended };
}

/** An account's name; "" until it is known. */
export function useAccountName(id: string): string {
  return useAccountFacts(id).name;
}

/** The facts of an account that its every page shows; operators may open accounts that they do not belong to. */
function useAccountFacts(id: string): { readonly name: string; readonly suspended: boolean } {
  const { accounts, user } = useSession();
  const own = accounts.find((account) => account.id === id);
  const enabled = own === undefined && user.is_operator && id !== "";
  const foreign = useRead(`/operator/accounts/${id}`, {}, { enabled });
  return {
    name: own?.name ?? foreign.data?.name ?? "",
    suspended: own?.suspended ?? foreign.data?.disabled ?? false,
  };
}
