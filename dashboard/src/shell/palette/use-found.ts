import { useEffect, useState } from "react";
import { useSession } from "../../api/session.ts";
import { useRead } from "../../api/use-read.ts";
import { useWords } from "../../words/use-words.ts";
import { useAccountId, usePlaces } from "../use-places.ts";
import { paletteWords } from "./palette-words.ts";
import { typedIds } from "./typed-ids.ts";

/** A way on: where it leads, and what tells it apart from others of its name. */
export interface Way {
  /** Unique among all. */
  readonly id: string;
  readonly title: string;
  readonly note?: string | undefined;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
}

export interface WayGroup {
  readonly title: string;
  readonly ways: readonly Way[];
}

/** The pause in typing after which the gateway is asked. */
const REST_MS = 200;
/** As many of a kind as can be read at a glance; more letters find the others. */
const MAX_SHOWN = 6;

/** Where a typed text may lead, the likeliest first, and whether the gateway is still being asked. */
export function useFound(typed: string): { readonly groups: readonly WayGroup[]; readonly busy: boolean } {
  const named = useNamed(typed);
  const groups = [useIds(typed), ...usePages(typed), ...named.groups].filter(({ ways }) => ways.length > 0);
  return { groups, busy: named.busy };
}

/** Requests and tasks by their ids, be they anywhere in the text. */
function useIds(typed: string): WayGroup {
  const t = useWords(paletteWords);
  const { user } = useSession();
  const account = useAccountId();
  const { request, task, other } = typedIds(typed);
  const ways: Way[] = [];
  if (request !== undefined && user.is_operator)
    ways.push({ id: `request ${request}`, title: t.request(request), to: `/operator/requests/${request}` });
  else if (request !== undefined && account !== undefined)
    ways.push({
      id: `request ${request}`,
      title: t.request(request),
      to: `/accounts/${account}/requests/${request}`,
    });
  if (task !== undefined && account !== undefined)
    ways.push({ id: `task ${task}`, title: t.task(task), to: `/accounts/${account}/tasks/${task}` });
  if (other !== undefined && user.is_operator)
    ways.push({
      id: `vendor ${other}`,
      title: t.vendorRequest(other),
      to: "/operator/requests",
      search: { id: other },
    });
  return { title: t.requests, ways };
}

/** The pages that this user may see. */
function usePages(typed: string): readonly WayGroup[] {
  const t = useWords(paletteWords);
  const { account, operator } = usePlaces();
  const { accounts } = useSession();
  const here = useAccountId();
  const pageWays = (places: typeof account): Way[] =>
    places.map(({ href, title, letter }) => ({ id: `page ${href}`, title, note: `g ${letter}`, to: href }));
  const own = accounts
    .filter(({ id }) => id !== here)
    .map(({ id, name }) => ({ id: `own ${id}`, title: name, to: `/accounts/${id}` }));
  const fitting = (ways: readonly Way[]) => ways.filter(({ title }) => includes(title, typed));
  const profile = { id: "page /me", title: t.profile, to: "/me" };
  return [
    { title: t.pages, ways: fitting([...pageWays(account), profile]) },
    { title: t.operatorPages, ways: fitting(pageWays(operator)) },
    { title: t.switchAccount, ways: typed.trim() === "" ? [] : fitting(own).slice(0, MAX_SHOWN) },
  ];
}

/** Accounts, keys, models and people by a part of their names. */
function useNamed(typed: string) {
  const t = useWords(paletteWords);
  const { user } = useSession();
  const account = useAccountId();
  const rested = useRested(typed.trim());
  const isAsked = rested.length >= 2 && rested.length <= 100;
  const search = { search: rested, limit: MAX_SHOWN };
  const ofOperator = { enabled: isAsked && user.is_operator };
  const ofAccount = { enabled: isAsked && account !== undefined };
  const operatorAccounts = useRead("/operator/accounts", search, ofOperator);
  const people = useRead("/operator/users", { q: rested, limit: MAX_SHOWN }, ofOperator);
  const keys = useRead(`/accounts/${account ?? ""}/keys`, search, ofAccount);
  const models = useRead(`/accounts/${account ?? ""}/models`, {}, ofAccount);
  const members = useRead(`/accounts/${account ?? ""}/members`, search, {
    enabled: ofAccount.enabled && !user.is_operator,
  });
  const groups: WayGroup[] = isAsked
    ? [
        {
          title: t.accounts,
          ways: (operatorAccounts.data?.data ?? []).map(({ id, name, group }) => ({
            id: `account ${id}`,
            title: name,
            note: group,
            to: `/operator/accounts/${id}`,
          })),
        },
        {
          title: t.keys,
          ways: (keys.data?.data ?? []).map(({ id, name, hint }) => ({
            id: `key ${id}`,
            title: name,
            note: hint,
            to: `/accounts/${account}/keys`,
            search: { q: name },
          })),
        },
        {
          title: t.models,
          ways: (models.data?.data ?? [])
            .filter(({ id }) => includes(id, rested))
            .slice(0, MAX_SHOWN)
            .map(({ id }) => ({
              id: `model ${id}`,
              title: id,
              to: `/accounts/${account}/models`,
              search: { model: id },
            })),
        },
        {
          title: t.users,
          ways: (people.data?.data ?? []).map(({ id, name, email }) => ({
            id: `user ${id}`,
            title: name,
            note: email,
            to: "/operator/users",
            search: { q: email },
          })),
        },
        {
          title: t.members,
          ways: (members.data?.data ?? []).map(({ user_id: id, name, email }) => ({
            id: `member ${id}`,
            title: name,
            note: email,
            to: `/accounts/${account}/members`,
          })),
        },
      ]
    : [];
  const queries = [operatorAccounts, people, keys, models, members];
  const isWaiting = queries.some((query) => query.isFetching || query.isPlaceholderData);
  return { groups, busy: typed.trim() !== rested || (isAsked && isWaiting) };
}

function useRested(typed: string): string {
  const [rested, setRested] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setRested(typed), REST_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return rested;
}

function includes(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.trim().toLowerCase());
}
