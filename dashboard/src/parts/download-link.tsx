import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";

/** A link to a file that the console writes as it is read: `<DownloadLink href={apiUrl("/…/requests.csv", query)}>{t.export}</DownloadLink>`. */
export function DownloadLink({
  href,
  children,
}: {
  readonly href: string;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <a
      href={href}
      download
      className="inline-flex h-8 items-center justify-center gap-2 rounded-md border border-line bg-paper px-3 font-medium whitespace-nowrap hover:bg-shade"
    >
      <Icon name="download" />
      {children}
    </a>
  );
}
