import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type Search, useSearch } from "../api/search.ts";

export interface RangeLink {
  readonly title: string;
  /** What of the URL names the range. */
  readonly search: Search;
  readonly current: boolean;
}

/** The usual ranges of time, one beside the other: `<RangeLinks label={t.range} links={[{ title, search: { from }, current }]} />` */
export function RangeLinks({
  label,
  links,
}: {
  readonly label: string;
  readonly links: readonly RangeLink[];
}): ReactNode {
  const [search] = useSearch();
  return (
    <nav aria-label={label} className="flex overflow-x-auto rounded-md border border-line">
      {links.map(({ title, search: range, current }) => (
        <Link
          key={title}
          to="."
          search={{ ...search, ...range, after: undefined }}
          resetScroll={false}
          aria-current={current ? "page" : undefined}
          className="px-3 py-1.5 whitespace-nowrap text-mute -outline-offset-2 not-last:border-r not-last:border-line hover:bg-shade aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent"
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}
