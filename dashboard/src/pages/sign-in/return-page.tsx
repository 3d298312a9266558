import { useRouter } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { write } from "../../api/client.ts";
import { ButtonLink } from "../../parts/button.tsx";
import { Page } from "../../parts/page.tsx";
import { useWords } from "../../words/use-words.ts";
import { enter, ownPath } from "./enter.ts";
import { takeFlow } from "./flow.ts";
import { Refusal } from "./refusal.tsx";
import { signInWords } from "./words.ts";

/** Where an identity provider sends the browser back to. */
export function SignInReturnPage(): ReactNode {
  const t = useWords(signInWords);
  const router = useRouter();
  const [error, setError] = useState<unknown>();
  const begun = useRef(false);
  useEffect(() => {
    // What the provider gave works once.
    if (begun.current) return;
    begun.current = true;
    const kept = takeFlow();
    if (kept === undefined) return setError(new Error(t.elsewhere));
    const response = location.search.slice(1);
    write("POST", "/session/oidc", { flow: kept.flow, response })
      .then((session) => {
        enter(session);
        router.history.replace(ownPath(kept.next));
      })
      .catch(setError);
  }, [router, t]);
  return (
    <Page title={t.title}>
      {error === undefined ? (
        <p role="status">{t.coming}</p>
      ) : (
        <>
          <Refusal error={error} />
          <ButtonLink to="/sign-in">{t.toSignIn}</ButtonLink>
        </>
      )}
    </Page>
  );
}
