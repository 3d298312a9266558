import type { ReactNode } from "react";
import { ButtonLink } from "../parts/button.tsx";
import { Page } from "../parts/page.tsx";
import { useWords } from "../words/use-words.ts";
import { Column } from "./gate.tsx";
import { shellWords } from "./words.ts";

/** An address below the menu, or below signing in, that is no page's. */
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

/** An address that is below neither: it stands by itself, as what comes before signing in does. */
export function NotFoundAlone(): ReactNode {
  return (
    <Column>
      <NotFound />
    </Column>
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
