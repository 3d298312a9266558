import type { ReactNode } from "react";
import { ButtonLink } from "../parts/button.tsx";
import { Page } from "../parts/page.tsx";
import { useWords } from "../words/use-words.ts";
import { shellWords } from "./words.ts";

export function NotFound(): ReactNode {
  const t = useWords(shellWords);
  return (
    <Page title={t.notFound} lead={t.notFoundLead}>
      <div>
        <ButtonLink to="/">{t.toStart}</ButtonLink>
      </div>
    </Page>
  );
}

/** For someone who was invited to nothing yet. */
export function NoAccount(): ReactNode {
  const t = useWords(shellWords);
  return (
    <Page title={t.noAccount} lead={t.noAccountLead}>
      {null}
    </Page>
  );
}
