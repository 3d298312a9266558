import { useNavigate, useSearch as useRouterSearch } from "@tanstack/react-router";

/** The values of the URL's search: texts only, `?model=a&day=b`. */
export type Search = Readonly<Record<string, string | undefined>>;

/** The search values and a way to change some; undefined or "" takes one away. Back undoes it unless it replaces. */
export function useSearch(): [
  search: Search,
  change: (values: Search, options?: { readonly replace?: boolean }) => void,
] {
  const search = useRouterSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const change = (values: Search, { replace = false } = {}): void => {
    void navigate({ to: ".", search: { ...search, ...values }, replace, resetScroll: false });
  };
  return [search, change];
}

/** The router's own way writes JSON; ours is plain, so that a URL can be read and typed. */
export function parseSearch(text: string): Search {
  return Object.fromEntries(new URLSearchParams(text));
}

export function formatSearch(search: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === "" ? "" : `?${text}`;
}
