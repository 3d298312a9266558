import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useState } from "react";
import type { InvitationResponse } from "../../../../src/console/users/contract.ts";
import { ApiError } from "../../api/api-error.ts";
import { write } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { sessionQuery } from "../../api/session.ts";
import { useRead } from "../../api/use-read.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { Field, Input } from "../../parts/field.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { useWords } from "../../words/use-words.ts";
import { enter } from "../sign-in/enter.ts";
import { Providers } from "../sign-in/providers.tsx";
import { Refusal } from "../sign-in/refusal.tsx";
import { signInWords } from "../sign-in/words.ts";

/** What the link of an invitation opens; its secret is behind the #, where no server's log sees it. */
export function InvitationPage(): ReactNode {
  const t = useWords(signInWords);
  const [token] = useState(() => location.hash.slice(1));
  const look = useQuery({
    queryKey: ["invitation", token],
    queryFn: () => write("POST", "/invitations/view", { token }),
    enabled: token !== "",
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (token === "") {
    return (
      <Page title={t.invitationTitle} lead={t.broken}>
        <ButtonLink to="/sign-in">{t.toSignIn}</ButtonLink>
      </Page>
    );
  }
  return (
    <Page title={t.invitationTitle}>
      <Loaded query={look}>
        {(invitation) => (
          <>
            <div className="flex flex-col gap-1">
              {invitation.account !== null && <p>{t.intoAccount(invitation.account)}</p>}
              {invitation.operator_role !== null && <p>{t.asOperator[invitation.operator_role]}</p>}
              {invitation.role !== null && <p className="text-mute">{t.roles[invitation.role]}</p>}
              <p className="text-mute">
                {t.forAddress} <span className="break-all text-ink">{invitation.email}</span>
              </p>
            </div>
            <Accept token={token} email={invitation.email} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Accept({ token, email }: { readonly token: string; readonly email: string }): ReactNode {
  const t = useWords(signInWords);
  const router = useRouter();
  const { data: session } = useQuery(sessionQuery);
  const [password, setPassword] = useState("");
  const [totp, setTotp] = useState("");
  const accept = useWrite(
    (body: InvitationResponse) => write("POST", "/invitations/accept", body),
    (answer) => {
      enter(answer);
      router.history.replace("/");
    },
  );
  const signOut = useWrite(
    () => write("DELETE", "/session"),
    () => queryClient.setQueryData(["session"], null),
  );
  const options = useRead("/sign-in");
  const { error } = accept;
  const asksCode = error instanceof ApiError && (error.code === "totp_required" || error.param === "totp");
  if (session && session.user.email !== email) {
    return (
      <>
        <p>{t.wrongPerson(session.user.email)}</p>
        <Button busy={signOut.isPending} onClick={() => signOut.mutate(undefined)}>
          {t.signOut}
        </Button>
      </>
    );
  }
  if (!session && options.data?.sso_required) {
    return (
      <>
        <p>{t.ssoLead}</p>
        <Providers providers={options.data.oidc} />
      </>
    );
  }
  const send = (event: FormEvent): void => {
    event.preventDefault();
    accept.mutate(session ? { token } : { token, password, ...(asksCode ? { totp } : {}) });
  };
  return (
    <form className="flex flex-col gap-4" onSubmit={send}>
      <input className="sr-only" autoComplete="username" readOnly tabIndex={-1} aria-hidden value={email} />
      {!session && (
        <Field label={t.invitationPassword} hint={t.invitationHint}>
          <Input
            type="password"
            autoComplete="new-password"
            required
            minLength={8}
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </Field>
      )}
      {asksCode && (
        <Field label={t.code} hint={t.codeLead}>
          <Input
            autoComplete="one-time-code"
            required
            value={totp}
            onChange={(event) => setTotp(event.target.value)}
          />
        </Field>
      )}
      {error && !(error instanceof ApiError && error.code === "totp_required") && (
        <Refusal error={error} failed={t.failed} />
      )}
      <Button type="submit" look="primary" busy={accept.isPending}>
        {session ? t.acceptAs(email) : t.accept}
      </Button>
    </form>
  );
}
