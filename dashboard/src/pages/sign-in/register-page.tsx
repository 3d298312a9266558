import { Link } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useState } from "react";
import type { RegistrationBody } from "../../../../src/console/session/contract.ts";
import { ApiError } from "../../api/api-error.ts";
import { write } from "../../api/client.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button } from "../../parts/button.tsx";
import { Field, Input } from "../../parts/field.tsx";
import { Page } from "../../parts/page.tsx";
import { useWords } from "../../words/use-words.ts";
import { enter } from "./enter.ts";
import { useNewPassword } from "./new-password.tsx";
import { useGoneOn } from "./page.tsx";
import { Refusal } from "./refusal.tsx";
import { signInWords } from "./words.ts";

/** Coming uninvited, where the settings let people. */
export function RegisterPage(): ReactNode {
  const t = useWords(signInWords);
  const [email, setEmail] = useState("");
  const [name, setName] = useState("");
  const chosen = useNewPassword();
  const register = useWrite((body: RegistrationBody) => write("POST", "/registration", body), enter);
  useGoneOn();
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (chosen.check())
      register.mutate({ email, password: chosen.password, ...(name.trim() === "" ? {} : { name }) });
  };
  const { error } = register;
  const isTaken = error instanceof ApiError && error.code === "conflict";
  const isClosed = error instanceof ApiError && error.code === "forbidden";
  return (
    <Page title={t.registerTitle} lead={t.registerLead}>
      <form className="flex flex-col gap-4" onSubmit={send}>
        <Field label={t.email} error={isTaken ? t.taken : undefined}>
          <Input
            type="email"
            autoComplete="username"
            required
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
        <Field label={t.name} hint={t.nameHint}>
          <Input
            autoComplete="name"
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        {chosen.fields}
        {isClosed && <p role="alert">{t.closed}</p>}
        {error && !isTaken && !isClosed && <Refusal error={error} />}
        <Button type="submit" look="primary" busy={register.isPending}>
          {t.register}
        </Button>
      </form>
      <p>
        {t.known}{" "}
        <Link className="link" to="/sign-in">
          {t.signIn}
        </Link>
      </p>
    </Page>
  );
}
