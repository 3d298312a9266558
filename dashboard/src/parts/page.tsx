import type { ReactNode } from "react";
import { useTitle } from "./announced.tsx";

interface PageProps {
  readonly title: string;
  /** The question the page answers, or what it is about, in a line. */
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page: `<Page title={t.title} lead={t.lead} actions={<Button …/>}>…</Page>`. */
export function Page({ title, lead, actions, children }: PageProps): ReactNode {
  useTitle(title);
  return (
    <div className="flex min-w-0 flex-col gap-6">
      <header className="flex flex-wrap items-start justify-between gap-x-8 gap-y-3">
        <div className="min-w-0">
          <h1 className="text-xl font-semibold break-words">{title}</h1>
          {lead && <p className="max-w-3xl text-mute">{lead}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A part of a page under a heading of its own. */
export function Section({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <section className="flex min-w-0 flex-col gap-3 border-t border-line pt-4">
      <header className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-lg font-semibold">{title}</h2>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </section>
  );
}
