import { useQuery } from "@tanstack/react-query";
import { Link, useRouter } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useEffect, useState } from "react";
import type { SignInBody } from "../../../../src/console/session/contract.ts";
import { ApiError } from "../../api/api-error.ts";
import { write } from "../../api/client.ts";
import { useSearch } from "../../api/search.ts";
import { sessionQuery } from "../../api/session.ts";
import { useRead } from "../../api/use-read.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button } from "../../parts/button.tsx";
import { Field, Input } from "../../parts/field.tsx";
import { Page } from "../../parts/page.tsx";
import { useWords } from "../../words/use-words.ts";
import { enter, ownPath, rememberGiven } from "./enter.ts";
import { Providers } from "./providers.tsx";
import { Refusal } from "./refusal.tsx";
import { signInWords } from "./words.ts";

/** Password, then the code of who uses one; beside them the other ways in that there are. */
export function SignInPage(): ReactNode {
  const [claim, setClaim] = useState<SignInBody>();
  const signIn = useWrite(
    (body: SignInBody) => write("POST", "/session", body),
    (session, { password }) => {
      if (session.must_change_password) rememberGiven(password);
      enter(session);
    },
  );
  useGoneOn();
  const asksCode = signIn.error instanceof ApiError && signIn.error.code === "totp_required";
  const wrongCode = signIn.error instanceof ApiError && signIn.error.param === "totp";
  const submit = (body: SignInBody): void => {
    setClaim(body);
    signIn.mutate(body);
  };
  if (claim !== undefined && (asksCode || wrongCode || (signIn.isPending && claim.totp !== undefined))) {
    return (
      <CodeStep
        error={wrongCode ? signIn.error : null}
        busy={signIn.isPending}
        submit={(totp) => submit({ ...claim, totp })}
        back={() => {
          setClaim(undefined);
          signIn.reset();
        }}
      />
    );
  }
  return <PasswordStep error={signIn.error} busy={signIn.isPending} submit={submit} />;
}

/** Whoever is signed in is on their way. */
export function useGoneOn(): void {
  const { data: session } = useQuery(sessionQuery);
  const [{ next }] = useSearch();
  const router = useRouter();
  useEffect(() => {
    if (session === null || session === undefined) return;
    const hasSteps = session.must_change_password || session.must_set_up_totp;
    router.history.replace(hasSteps ? "/start" : ownPath(next));
  }, [session, next, router]);
}

interface Step<Given> {
  readonly error: unknown;
  readonly busy: boolean;
  readonly submit: (given: Given) => void;
}

function PasswordStep({ error, busy, submit }: Step<SignInBody>): ReactNode {
  const t = useWords(signInWords);
  const options = useRead("/sign-in");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [recovers, setRecovers] = useState(false);
  const send = (event: FormEvent): void => {
    event.preventDefault();
    submit({ email, password });
  };
  if (options.data?.sso_required && !recovers) {
    return (
      <Page title={t.title} lead={t.ssoLead}>
        <Providers providers={options.data.oidc} />
        <p className="text-sm text-mute">
          {t.recover}{" "}
          <button type="button" className="link" onClick={() => setRecovers(true)}>
            {t.usePassword}
          </button>
        </p>
      </Page>
    );
  }
  return (
    <Page title={t.title}>
      <form className="flex flex-col gap-4" onSubmit={send}>
        <Field label={t.email}>
          <Input
            // Not "email": the first user's address is admin@localhost.
            type="text"
            inputMode="email"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            required
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
        <Field label={t.password}>
          <Input
            type="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </Field>
        {error != null && <Refusal error={error} failed={t.failed} />}
        <Button type="submit" look="primary" busy={busy}>
          {t.signIn}
        </Button>
      </form>
      <Providers providers={options.data?.oidc ?? []} />
      {options.data?.self_registration && (
        <p>
          {t.noAccount}{" "}
          <Link className="link" to="/register">
            {t.register}
          </Link>
        </p>
      )}
      {options.data?.password_reset ? (
        <p>
          <Link className="link" to="/forgot-password">
            {t.forgotLink}
          </Link>
        </p>
      ) : (
        <p className="text-sm text-mute">{t.forgot}</p>
      )}
    </Page>
  );
}

function CodeStep({ error, busy, submit, back }: Step<string> & { readonly back: () => void }): ReactNode {
  const t = useWords(signInWords);
  const [code, setCode] = useState("");
  const send = (event: FormEvent): void => {
    event.preventDefault();
    submit(code);
    setCode("");
  };
  return (
    <Page title={t.codeTitle} lead={t.codeLead}>
      <form className="flex flex-col gap-4" onSubmit={send}>
        <Field label={t.code}>
          <Input
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            required
            autoFocus
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
        </Field>
        {error != null && <Refusal error={error} />}
        <div className="flex gap-2">
          <Button type="submit" look="primary" busy={busy} className="flex-1">
            {t.goOn}
          </Button>
          <Button onClick={back}>{t.back}</Button>
        </div>
      </form>
    </Page>
  );
}
