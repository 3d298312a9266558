import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { write } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { Failed } from "../../parts/failure.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { useWords } from "../../words/use-words.ts";
import { useNewPassword } from "./new-password.tsx";
import { signInWords } from "./words.ts";

/** What the link of a password reset opens; its secret is behind the #, where no server's log sees it. */
export function ResetPasswordPage(): ReactNode {
  const t = useWords(signInWords);
  const [token] = useState(() => location.hash.slice(1));
  const look = useQuery({
    queryKey: ["password-reset", token],
    queryFn: () => write("POST", "/password-resets/view", { token }),
    enabled: token !== "",
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (token === "") {
    return (
      <Page title={t.resetTitle} lead={t.broken}>
        <ButtonLink to="/sign-in">{t.toSignIn}</ButtonLink>
      </Page>
    );
  }
  return (
    <Page title={t.resetTitle}>
      <Loaded query={look}>{({ email }) => <Choose token={token} email={email} />}</Loaded>
    </Page>
  );
}

function Choose({ token, email }: { readonly token: string; readonly email: string }): ReactNode {
  const t = useWords(signInWords);
  const chosen = useNewPassword();
  const use = useWrite(
    () => write("POST", "/password-resets/use", { token, new_password: chosen.password }),
    () => queryClient.setQueryData(["session"], null),
  );
  if (use.data !== undefined) {
    return (
      <>
        <p role="status">{t.passwordChanged}</p>
        <ButtonLink to="/sign-in">{t.toSignIn}</ButtonLink>
      </>
    );
  }
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (chosen.check()) use.mutate(undefined);
  };
  return (
    <form className="flex flex-col gap-4" onSubmit={send}>
      <p className="text-mute">
        {t.resetFor} <span className="break-all text-ink">{email}</span>
      </p>
      <input className="sr-only" autoComplete="username" readOnly tabIndex={-1} aria-hidden value={email} />
      {chosen.fields}
      {use.error && <Failed error={use.error} />}
      <Button type="submit" look="primary" busy={use.isPending}>
        {t.savePassword}
      </Button>
    </form>
  );
}
