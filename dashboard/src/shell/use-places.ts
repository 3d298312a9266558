import { useParams } from "@tanstack/react-router";
import type { AccountRole } from "../api/session.ts";
import { useSession } from "../api/session.ts";
import { useWords } from "../words/use-words.ts";
import { ACCOUNT_PAGES, OPERATOR_PAGES } from "./navigation.ts";
import { readPreference } from "./preferences.ts";
import { shellWords } from "./words.ts";

/** A place the menu and the keyboard lead to. */
export interface Place {
  readonly href: string;
  readonly title: string;
  readonly letter: string;
}

const RANK: Readonly<Record<AccountRole, number>> = { viewer: 1, member: 2, owner: 3 };

/** The pages that this user may open: those of the selected account, and the operator's. */
export function usePlaces(): { readonly account: readonly Place[]; readonly operator: readonly Place[] } {
  const t = useWords(shellWords);
  const session = useSession();
  const id = useAccountId();
  const isOperator = session.user.is_operator;
  const role = isOperator
    ? "owner"
    : (session.accounts.find((account) => account.id === id)?.role ?? "viewer");
  const place =
    (base: string) =>
    ({
      name,
      path,
      letter,
    }: {
      readonly name: keyof typeof t;
      readonly path: string;
      readonly letter: string;
    }) => ({ href: `${base}${path}`, title: String(t[name]), letter });
  return {
    account:
      id === undefined
        ? []
        : ACCOUNT_PAGES.filter((page) => !("role" in page) || RANK[role] >= RANK[page.role]).map(
            place(`/accounts/${id}`),
          ),
    operator: isOperator ? OPERATOR_PAGES.map(place("/operator")) : [],
  };
}

/** The account of the path; elsewhere the one looked at last, else the first. */
export function useAccountId(): string | undefined {
  const { accounts } = useSession();
  const { account } = useParams({ strict: false }) as { account?: string };
  const last = readPreference("account");
  return account ?? accounts.find(({ id }) => id === last)?.id ?? accounts[0]?.id;
}
