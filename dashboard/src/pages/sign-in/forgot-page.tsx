import { Link } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { write } from "../../api/client.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button } from "../../parts/button.tsx";
import { Failed } from "../../parts/failure.tsx";
import { Field, Input } from "../../parts/field.tsx";
import { Page } from "../../parts/page.tsx";
import { useLanguage } from "../../words/language.ts";
import { useWords } from "../../words/use-words.ts";
import { signInWords } from "./words.ts";

/** Asking for a link to choose another password. It says the same whoever the address belongs to. */
export function ForgotPasswordPage(): ReactNode {
  const t = useWords(signInWords);
  const language = useLanguage();
  const [email, setEmail] = useState("");
  const request = useWrite(() => write("POST", "/password-resets", { email, language }));
  const send = (event: FormEvent): void => {
    event.preventDefault();
    request.mutate(undefined);
  };
  const isOff = request.error instanceof ApiError && request.error.code === "forbidden";
  return (
    <Page title={t.forgotTitle} lead={t.forgotLead}>
      {request.data !== undefined ? (
        <p role="status">{t.linkSent}</p>
      ) : (
        <form className="flex flex-col gap-4" onSubmit={send}>
          <Field label={t.email}>
            <Input
              type="email"
              autoComplete="username"
              required
              maxLength={254}
              value={email}
              onChange={(event) => setEmail(event.target.value)}
            />
          </Field>
          {isOff ? <p role="alert">{t.forgot}</p> : request.error && <Failed error={request.error} />}
          <Button type="submit" look="primary" busy={request.isPending}>
            {t.sendLink}
          </Button>
        </form>
      )}
      <p>
        <Link className="link" to="/sign-in">
          {t.toSignIn}
        </Link>
      </p>
    </Page>
  );
}
