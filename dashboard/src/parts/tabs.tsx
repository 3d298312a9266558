import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useSearch } from "../api/search.ts";

interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly (readonly [name: Name, title: ReactNode])[];
  /** The name of the search value, `tab` unless told. */
  readonly param?: string;
}

/**
 * Views of one page, kept in the URL; the first is the one without a value. Links, as each is an address:
 * `const tab = useTab(["day", "model"])` reads which, `<Tabs label={t.by} tabs={[["day", t.day], …]} />` shows them.
 */
export function Tabs<Name extends string>({ label, tabs, param = "tab" }: TabsProps<Name>): ReactNode {
  const current = useTab(
    tabs.map(([name]) => name),
    param,
  );
  return (
    <nav
      aria-label={label}
      className="flex gap-1 overflow-x-auto [scrollbar-width:none] border-b border-line"
    >
      {tabs.map(([name, title], index) => (
        <Link
          key={name}
          to="."
          search={(search: object) => ({
            ...search,
            [param]: index === 0 ? undefined : name,
            after: undefined,
          })}
          resetScroll={false}
          // Else the first tab, which has no value, counts as current on every other.
          activeOptions={{ exact: true, explicitUndefined: true }}
          aria-current={name === current ? "page" : undefined}
          className="-mb-px rounded-t-md border-b-2 border-transparent px-3 py-2 whitespace-nowrap text-mute -outline-offset-2 hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}

/** The tab that the URL names; the first if it names none. */
export function useTab<Name extends string>(names: readonly Name[], param = "tab"): Name {
  const [search] = useSearch();
  return names.find((name) => name === search[param]) ?? (names[0] as Name);
}
